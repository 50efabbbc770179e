// Addresses of the console and texts of others: a request goes where the page says, a text stays in its place, and an answer that cannot be drawn is said so.
import { execFileSync } from 'node:child_process';
import assert from 'node:assert/strict';
import { CLUSTER } from './service.mjs';
import { browser, goto, heading, home, plain, test } from './kit.mjs';

const requests = async () => (await plain.control('journal?limit=1000')).map((r) => r.method + ' ' + r.target);
const clusters = '/groups/' + plain.groupId + '/clusters';

await test('addresses: a segment that a browser resolves is refused, and no request is sent', async () => {
  const page = await home(), at = '/groups/' + plain.groupId;
  await plain.call('POST', clusters, { ...CLUSTER, name: 'kept' });
  const deletes = async () => (await requests()).filter((r) => r.startsWith('DELETE'));
  for (const path of [at + '/integrations/..', at + '/integrations/%2e%2e', at + '/integrations/.%2E', at + '/integrations/.', at + '/clusters/kept/onlineArchives/..', at + '/../x', '/groups/../orgs',
    at + '/integrations/..!deleteGroupIntegration', at + '/integrations/..?a=b', at + '/integrations/\\..', at + '/clusters/kept\\..\\x']) {
    await goto(page, path);
    await heading(page, 'This address is refused');
    assert.match(await page.run(() => document.querySelector('.problem').innerText), /segment "\." or ".."/, path);
    assert.equal(await page.run(() => document.querySelectorAll('#view button, #view .danger').length), 0, path);
  }
  // a path does not end at # or at a tab
  for (const [path, target] of [['/groups/' + plain.groupId + '#x/clusters/kept', '%23x/clusters/kept'], [at + '/clusters/%09..', '/clusters/%09..']]) {
    await goto(page, path);
    await page.until((p) => location.hash === '#' + p && !document.querySelector('[aria-busy]'), path, path);
    const found = (await requests()).filter((r) => r.endsWith(target));
    assert.ok(path.includes('%09') || found.length > 0, path);
  }
  const called = await page.run(async (group) => {
    const { call, control, useTestToken } = await import('/_explorer/api.js'), { spec } = await import('/_explorer/spec.js'), out = [];
    for (const path of ['/groups/' + group + '/integrations/..', '/groups/' + group + '/integrations/%2E%2e?x=1', '/groups/' + group + '/integrations/.', '/groups/' + group + '/integrations/.\t.'])
      out.push([(await call('DELETE', spec.base, path)).status, (await call('DELETE', spec.base, path)).body.errorCode]);
    useTestToken('none');
    out.push([(await control('DELETE', 'snapshots/..')).status, 'ADDRESS_REFUSED']);
    useTestToken('');
    return out;
  }, plain.groupId);
  assert.deepEqual(called, Array(5).fill([400, 'ADDRESS_REFUSED']));
  assert.deepEqual(await deletes(), []);
  assert.equal((await plain.call('GET', clusters + '/kept')).name, 'kept');
  // names with characters that a URL gives a meaning, in their own segment
  const { fill, hrefs, links } = await page.run(async () => {
    const { fill: f, hrefAt, pathOfLink, spec } = await import('/_explorer/spec.js');
    return { fill: ['a/b', '#', '?', '\\', '%2e%2e', '..a', '\ud800'].map((name) => f('/x/{name}/y', { name })), hrefs: ['/a#b', '/a\\b', '/a/..', '/a/.?b=#'].map(hrefAt),
      links: ['/groups/x/..', '/groups/%2e%2e/x', '/groups/x?a=..'].map((p) => pathOfLink(location.origin + spec.linked + p)) };
  });
  assert.deepEqual(fill, ['/x/a%2Fb/y', '/x/%23/y', '/x/%3F/y', '/x/%5C/y', '/x/%252e%252e/y', '/x/..a/y', '/x/%EF%BF%BD/y']);
  const base = plain.url + plain.api;
  assert.deepEqual(hrefs, [base + '/a%23b', base + '/a%5Cb', '', '']);
  assert.deepEqual(links, [null, null, '/groups/x?a=..']);
});

await test('addresses: a request copied as curl goes to this service, whatever its target was', async () => {
  const page = await home();
  for (const target of ['/https://evil.example/x', 'https://evil.example/x', '//evil.example/x', '/\\evil.example', '\\\\evil.example\\x', '/\t/evil.example', '@evil.example/', ':80@evil.example/', '/a\'$(touch x)`id`"b', '/a/../../x', '/{a,b}[1-9]', '/\ud800', '/a\r\nb']) {
    const text = await page.run(async (t) => (await import('/_explorer/lab-journal.js')).curlOf({ method: 'GET', target: t, request: { headers: [{ name: 'Authorization', value: 'Bearer ***' }] } }), target);
    // the shell decides what the arguments are, with a curl that prints them
    const args = execFileSync('/bin/sh', ['-c', 'curl() { for a in "$@"; do printf "%s\\0" "$a"; done; }\n' + text], { env: { TOKEN: 'secret', PATH: '/nowhere' } }).toString().split('\0').slice(0, -1), url = args.at(-1);
    assert.ok(url.startsWith(plain.url + '/'), target + ': ' + url);
    assert.equal(new URL(url).host, new URL(plain.url).host, url);
    assert.match(url, /^[\x21-\x7e]+$/);
    assert.equal(args.includes('-g'), /[[\]{}]/.test(url), 'curl expands brackets');
    assert.equal(args.includes('--path-as-is'), url.includes('/..'), 'curl resolves dots');
    assert.equal(args.filter((a) => a === 'Authorization: Bearer secret').length, 1);
  }
});

await test('texts of others: control characters are shown, and the direction of a text is its own', async () => {
  const page = await home(), name = 'abc\u202Edef\u2066\u0007', shown = 'abc\\u202Edef\\u2066\\u0007';
  const seen = await page.run(async (text) => {
    const { el, put, visible, isolated } = await import('/_explorer/dom.js'), place = el('div', { id: 'probe' });
    document.getElementById('content').append(place);
    put(place, text, el('a', { href: '#', title: text, 'aria-label': text }, text), el('strong', {}, [text]), isolated(text), el('input', { value: text }), el('pre', {}, 'a\n\tb'));
    const direction = (s) => getComputedStyle(place.querySelector(s)).unicodeBidi;
    return { all: place.innerText, title: place.querySelector('a').title, label: place.querySelector('a').ariaLabel, input: place.querySelector('input').value, pre: place.querySelector('pre').textContent, bidi: ['a', 'strong', 'bdi'].map(direction), same: visible('Größe 👩‍💻 שלום') };
  }, name);
  assert.doesNotMatch(seen.all, /[\u202e\u2066\u0007]/);
  assert.equal(seen.all.split(shown).length, 5);
  assert.deepEqual([seen.title, seen.label, seen.input, seen.pre, seen.same], [shown, shown, name, 'a\n\tb', 'Größe 👩‍💻 שלום']);
  assert.deepEqual(seen.bidi, ['isolate', 'isolate', 'isolate']);
  // in the question before a delete, and in the message after it
  const user = 'evil \u202etcejorp', users = '/groups/' + plain.groupId + '/databaseUsers';
  await plain.call('POST', users, { username: user, databaseName: 'admin', password: 'Secret-1234', roles: [{ roleName: 'read', databaseName: 'shop' }] });
  await goto(page, users + '/admin/' + encodeURIComponent(user));
  await heading(page, 'evil \\u202Etcejorp');
  assert.equal(await page.run(() => document.title), 'evil \\u202Etcejorp - Console');
  await page.click('button.danger');
  await page.until(() => document.querySelector('#ask').open, 'the question');
  assert.match(await page.run(() => document.querySelector('#ask').innerText), /evil \\u202Etcejorp/);
  await page.shot('build/web/confirm-hidden-characters.png');
  await page.click('#ask-yes');
  assert.match(await page.until(() => document.querySelector('.done')?.innerText, 'the message'), /^evil \\u202Etcejorp is (being )?deleted\.$/);
  assert.equal(await page.run(() => document.querySelector('.done bdi').innerText), 'evil \\u202Etcejorp');
});

await test('an answer of 4,000 levels does not hang the page', async () => {
  const page = await home(), deep = '{"a":'.repeat(4000) + '1' + '}'.repeat(4000);
  await page.cdp('Fetch.enable', { patterns: [{ urlPattern: '*' + clusters + '/deep' }] });
  browser.listen((m) => { if (m.method === 'Fetch.requestPaused' && m.params.request.url.endsWith('/deep')) page.cdp('Fetch.fulfillRequest', { requestId: m.params.requestId, responseCode: 200, responseHeaders: [{ name: 'Content-Type', value: 'application/json' }], body: btoa(deep) }).catch(() => {}); });
  await goto(page, clusters + '/deep');
  const text = await page.until(() => [...document.querySelectorAll('.problem')].find((e) => e.checkVisibility())?.innerText, 'the reason');
  assert.match(text, /nested too deeply/);
  assert.equal(await page.run(() => document.querySelectorAll('[aria-busy]').length), 0);
  await page.cdp('Fetch.disable');
  await goto(page, clusters);
  await heading(page, 'Clusters');
});

await test('a style sheet that could not be loaded is asked for again; a form whose sending fails can be sent again', async () => {
  const page = await home();
  const [first, second, links] = await page.run(async () => {
    const { sheet } = await import('/_explorer/dom.js'), there = () => [...document.querySelectorAll('link[rel=stylesheet]')].filter((l) => l.href.endsWith('charts.css')).length, out = [];
    const before = document.head.append;
    document.head.append = function (link) { before.call(this, link); queueMicrotask(() => link.dispatchEvent(new Event('error'))); };
    await sheet('charts.css');
    out.push(there());
    delete document.head.append;
    await sheet('charts.css');
    out.push(there());
    await sheet('charts.css');
    out.push(there());
    return out;
  });
  assert.deepEqual([first, second, links], [0, 1, 1]);
  const sent = await page.run(async () => {
    const { form } = await import('/_explorer/form.js');
    let n = 0;
    const f = form({ method: 'POST', query: [], schema: { type: 'object', properties: { name: { type: 'string' } } }, bodyRequired: true }, { known: {}, send: async () => { if (++n === 1) throw new Error('broken by the test'); return {}; } });
    document.getElementById('content').append(f);
    f.requestSubmit();
    await new Promise((done) => setTimeout(done, 0));
    const out = [f.querySelector('button.primary').disabled, f.querySelector('.error[role=alert]')?.textContent];
    f.requestSubmit();
    await new Promise((done) => setTimeout(done, 0));
    return [...out, n];
  });
  assert.deepEqual(sent, [false, 'The page has failed: broken by the test', 2]);
});
