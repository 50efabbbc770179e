// The Lab, the bar that shows that test control is on, and the sign-in link, tested as a user would.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { CLUSTER, service } from './service.mjs';
import { nameless, pale, wide, stored } from './inspect.mjs';
import { browser, newPage, signIn, home, test, heading, goto, problem } from './kit.mjs';

const lab = await service('lab', ['--sign-in-link']);
const text = (page, selector) => page.run((s) => document.querySelector(s)?.innerText ?? '', selector);
const shows = (page, selector, part) => page.until((s, p) => [...document.querySelectorAll(s)].some((e) => e.checkVisibility() && e.innerText.includes(p)), selector + ' with ' + part, selector, part);
const bar = (page, part) => shows(page, '#control', part);
async function inLab(page, tab = 'clock') {
  await goto(page, '/~lab/' + tab);
  await page.until(() => document.querySelector('.lab-tabs'), 'the Lab');
  if (await page.run(() => [...document.querySelectorAll('label')].some((l) => l.textContent === 'Token of test control'))) {
    await page.fill('Token of test control', lab.testToken);
    await page.click('button.primary', 'Open the Lab');
  }
  await page.until(() => document.querySelector('.lab-tabs ~ div:last-child')?.firstChild && !document.querySelector('.lab-token'), 'the tab ' + tab);
}
const start = async (options) => { const page = await home(options, lab); await inLab(page); return page; };
const making = (name) => lab.call('POST', '/groups/' + lab.groupId + '/clusters', { ...CLUSTER, name });

await test('lab: a bar says that test control is on, and the token opens the Lab', async () => {
  const page = await home({}, lab);
  await bar(page, 'this is not a production service');
  assert.doesNotMatch(await text(page, '#control'), /Clock/);
  await goto(page, '/~lab');
  await page.fill('Token of test control', 'no-such-token-at-all');
  await page.click('button.primary', 'Open the Lab');
  await shows(page, '.error', 'not the token');
  await page.fill('Token of test control', lab.testToken);
  await page.click('button.primary', 'Open the Lab');
  await bar(page, 'Clock: stopped at 2030-01-01 00:00 UTC');
  await heading(page, 'Lab: clock');
  assert.deepEqual(await stored(page), []);
  for (const path of ['/', '/groups']) { await goto(page, path); await page.until(() => !document.querySelector('[aria-busy]'), path); await bar(page, 'Clock: stopped'); }
  await page.click('#control a', 'Lab');
  await shows(page, '.lab-time', '2030-01-01 00:00 UTC');
  await page.click('#out');
  assert.equal(await page.run(() => document.querySelector('#control').checkVisibility()), false);
  await signIn(page, lab);
  await page.until(() => document.querySelector('.lab-token'), 'the question for the token: it went with the one who signed out');
});

await test('lab: the bar moves nothing, and without test control there is none', async () => {
  const off = spawn('build/svcd', ['--memory', '--bootstrap', 'build/web/off.json', '--listen', 'http://127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const url = await new Promise((done) => { let all = ''; off.stdout.on('data', (d) => { all += d; const m = /svcd ready on (\S+)/.exec(all); if (m) done(m[1]); }); });
    const page = await newPage();
    await page.goto(url + '/');
    await signIn(page, JSON.parse(readFileSync('build/web/off.json')));
    await heading(page, 'Administration API');
    assert.equal(await page.run(() => document.querySelector('#control').checkVisibility()), false);
    assert.equal(await page.run(() => [...document.querySelectorAll('#nav a')].some((a) => a.textContent === 'Lab')), false);
    await goto(page, '/~lab');
    await heading(page, 'There is no such page');
    await page.goto('about:blank'); // sends no requests to a service that has ended
  } finally { off.kill(); }
  const page = await newPage();
  await page.goto(lab.url + '/');
  // the bar appears together with the page after signing in, not later
  await page.run(() => { new MutationObserver(() => { if (document.getElementById('signin').hidden) globalThis.withBar ??= !document.getElementById('control').hidden; }).observe(document.getElementById('signin'), { attributes: true }); });
  await signIn(page, lab);
  await heading(page, 'Administration API');
  await page.until(() => document.querySelector('.links'), 'the page');
  assert.equal(await page.run(() => globalThis.withBar), true);
  const top = await page.run(() => document.querySelector('.page').getBoundingClientRect().top);
  await inLab(page);
  await bar(page, 'Clock');
  assert.equal(await page.run(() => document.querySelector('.page').getBoundingClientRect().top), top);
});

await test('lab: the clock stops, runs, moves, and jumps to what is due', async () => {
  const page = await start();
  const at = () => text(page, '.lab-time');
  await page.click('button', '+ 1 min');
  await shows(page, '.lab-time', '2030-01-01 00:01 UTC');
  await page.click('button', '+ 1 hour');
  await shows(page, '.lab-time', '2030-01-01 01:01 UTC');
  await page.click('button', '+ 1 month');
  await shows(page, '.lab-time', '2030-02-01 01:01 UTC');
  await page.fill('By', '2');
  await page.fill('Unit', '86400');
  await page.click('button', 'Advance');
  await shows(page, '.lab-time', '2030-02-03 01:01 UTC');
  await page.fill('To (UTC)', '2030-02-04T00:00:00Z');
  await page.click('button', 'Set');
  await shows(page, '.lab-time', '2030-02-04 00:00 UTC');
  await bar(page, 'stopped at 2030-02-04 00:00 UTC');
  await page.fill('To (UTC)', '2029-01-01T00:00:00Z');
  await page.click('button', 'Set');
  assert.match(await problem(page, 400), /forwards/);
  await making('timed');
  await shows(page, 'tbody tr', 'cluster timed');
  assert.match(await text(page, 'tbody'), /in 10 s[^]*CREATING ends/);
  assert.match(await text(page, '.lab-clock'), /Next step in 10 s/);
  await page.click('button', 'Jump to the next step');
  await shows(page, '.lab-time', '2030-02-04 00:00:10 UTC');
  assert.equal((await lab.call('GET', '/groups/' + lab.groupId + '/clusters/timed')).stateName, 'IDLE');
  const due = await page.until(() => { const b = [...document.querySelectorAll('tbody button')].pop(); return b && !document.querySelector('tbody').innerText.includes('timed CREATING') && b.getAttribute('aria-label'); }, 'what is due next');
  await page.run((l) => [...document.querySelectorAll('tbody button')].find((b) => b.getAttribute('aria-label') === l).focus(), due);
  await page.key('Enter');
  const said = due.replace('Jump to ', '').replace(/:00 UTC/, ' UTC');
  await shows(page, '.lab-time', said);
  await page.fill('Times as fast', '3600');
  await page.click('button', 'Run');
  await bar(page, 'running × 3,600');
  const before = await at();
  await page.until((b) => document.querySelector('.lab-time').textContent !== b, 'time to pass', before);
  await page.click('button', 'Stop');
  await bar(page, 'stopped');
  assert.equal((await lab.control('clock')).rate, 0);
});

await test('lab: faults are made, strike, and are removed', async () => {
  const page = await start();
  await inLab(page, 'faults');
  await page.fill('Operation', 'listGroups');
  await page.fill('Status', '500');
  await page.fill('How often', '2');
  await page.click('button', 'Add the fault');
  await shows(page, 'tbody tr', 'listGroups 500');
  await shows(page, 'tbody tr', '0 of 2');
  await assert.rejects(lab.call('GET', '/groups'), /500/);
  await shows(page, 'tbody tr', '1 of 2');
  await assert.rejects(lab.call('GET', '/groups'), /500/);
  await shows(page, 'tbody tr', 'used up');
  for (const [kind, fill, seen] of [['An order', { Outcome: 'slow', 'Seconds more, if slow': '30' }, 'order'], ['A state that never ends', {}, 'UPDATING'], ['A change that shows later', { Name: 'shop' }, 'later'], ['Reads that lag', {}, 'ms 500']]) {
    await page.fill('What fails', kind);
    for (const [label, value] of Object.entries(fill)) await page.fill(label, value);
    await page.click('button', 'Add the fault');
    await shows(page, 'tbody tr', seen);
  }
  await page.fill('What fails', 'A request');
  await page.fill('Answer', 'late');
  await page.click('button', 'Add the fault');
  assert.match(await problem(page, 400), /\S/);
  await page.fill('Late by (ms)', '20');
  await page.fill('Chance (%)', '50');
  await page.click('button', 'Add the fault');
  await shows(page, 'tbody tr', '20 ms late');
  await shows(page, 'tbody tr', '50 %');
  assert.equal((await lab.control('faults')).length, 5);
  const first = (await lab.control('faults'))[0].id;
  await page.run((id) => [...document.querySelectorAll('tbody button')].find((b) => b.getAttribute('aria-label') === 'Remove fault ' + id).click(), first);
  await page.until((id) => ![...document.querySelectorAll('tbody button')].some((b) => b.getAttribute('aria-label') === 'Remove fault ' + id), 'the fault to be gone', first);
  // another tab adds a fault, and this one shows it
  const other = await home({}, lab);
  await inLab(other, 'faults');
  await other.fill('Operation', 'createCluster');
  await other.click('button', 'Add the fault');
  await shows(page, 'tbody tr', 'createCluster 503');
  await page.click('button', 'Remove all');
  await shows(page, '.empty', 'There are no faults');
  await shows(other, 'tbody tr', 'removed elsewhere');
  assert.deepEqual(await lab.control('faults'), []);
});

await test('lab: snapshots lead back, also by a file; the console follows', async () => {
  const page = await start();
  await inLab(page, 'store');
  await page.fill('Name', 'before');
  await page.click('button', 'Take');
  await shows(page, 'tbody tr', 'before');
  await lab.call('POST', '/groups', { name: 'Made Later', orgId: lab.orgId });
  await page.cdp('Page.setDownloadBehavior', { behavior: 'deny' });
  await page.run(() => { globalThis.saved = []; const make = URL.createObjectURL; URL.createObjectURL = (b) => { globalThis.saved.push(b); return make.call(URL, b); }; });
  await page.fill('World', 'team');
  await page.click('button', 'Apply');
  await shows(page, '.done', 'The world team is applied');
  await page.until(() => [...document.querySelectorAll('#pick-project option')].some((o) => o.textContent === 'Made Later'), 'what was made meanwhile in the sidebar');
  assert.match(await page.run(() => document.querySelector('.crumbs').innerText), /Home\s+Lab/);
  await page.click('button', 'Download the resources as a world');
  const world = await page.until(async () => globalThis.saved.length && globalThis.saved.at(-1).text(), 'the world');
  assert.equal(JSON.parse(world).world, 1);
  await page.click('tbody button', 'Download');
  await page.until(() => globalThis.saved.length === 2, 'the bytes of the snapshot');
  const size = (await lab.control('snapshots'))[0].bytes;
  assert.ok(await page.run(() => globalThis.saved[1].size) >= size / 4);
  // uploads the downloaded bytes under another name
  await page.run(() => {
    const input = [...document.querySelectorAll('label')].find((l) => l.textContent === 'Upload a snapshot file').control, t = new DataTransfer();
    t.items.add(new File([globalThis.saved[1]], 'kept elsewhere.svcsnap'));
    input.files = t.files;
    input.dispatchEvent(new Event('change'));
  });
  await shows(page, 'tbody tr', 'kept-elsewhere');
  const row = (name, what) => page.run((l) => [...document.querySelectorAll('tbody button')].find((b) => b.getAttribute('aria-label') === l).click(), what + ' ' + name);
  await row('kept-elsewhere', 'Restore');
  await page.until(() => document.querySelector('dialog[open]'), 'the question');
  assert.equal(await page.run(() => document.activeElement.id), 'ask-no');
  await page.click('#ask-yes');
  await page.until(() => ![...document.querySelectorAll('#pick-project option')].some((o) => o.textContent === 'Made Later'), 'the project to be gone from the sidebar');
  await row('before', 'Delete');
  await page.click('#ask-yes');
  await page.until(() => !document.querySelector('tbody').innerText.includes('before'), 'the snapshot to be gone');
  // an invalid file
  await page.run(() => {
    const input = [...document.querySelectorAll('label')].find((l) => l.textContent === 'Apply a world file').control, t = new DataTransfer();
    t.items.add(new File(['{"world":1,"orgs":[{"nme":"x"}]}'], 'wrong.json'));
    input.files = t.files;
    input.dispatchEvent(new Event('change'));
  });
  assert.match(await problem(page, 400), /nme/);
});

await test('lab: the journal is live, filtered, and copied as curl', async () => {
  const page = await start();
  await inLab(page, 'journal');
  await page.click('button', 'Clear');
  await page.until(() => !document.querySelector('.lab-journal li'), 'an empty journal');
  const name = "it's <b>bold</b>";
  await lab.call('GET', '/groups');
  await assert.rejects(lab.call('GET', '/groups/' + lab.groupId + '/clusters/none'), /404/);
  await lab.call('POST', '/groups', { name: name.replace(/[<>/]/g, ''), orgId: lab.orgId });
  await page.until(() => document.querySelectorAll('.lab-journal li').length === 3, 'three requests');
  await lab.call('GET', '/groups');
  await page.until(() => document.querySelectorAll('.lab-journal li').length === 4, 'a fourth, equal to the first');
  const seen = () => page.run(() => [...document.querySelectorAll('.lab-journal li:not([hidden])')].map((l) => l.querySelector('summary').innerText.replace(/\s+/g, ' ')));
  await page.fill('Status', '4');
  assert.match((await seen()).join(), /^404 GET .*clusters\/none CLUSTER_NOT_FOUND[^,]*$/);
  await page.fill('Status', '');
  await page.fill('Method', 'POST');
  assert.equal((await seen()).length, 1);
  await page.fill('Method', 'All');
  await page.fill('Path has', '/clusters/');
  assert.equal((await seen()).length, 1);
  await page.run(() => { const i = [...document.querySelectorAll('label')].find((l) => l.textContent === 'Path has').control; i.value = ''; i.dispatchEvent(new Event('input')); });
  await page.fill('Text has', 'cluster_not_found');
  assert.equal((await seen()).length, 1);
  await page.fill('Text has', 'bbold');
  assert.ok((await seen()).length > 0);
  await page.fill('Method', 'POST');
  assert.equal((await seen()).length, 1);
  await page.click('.lab-journal li:not([hidden]) summary');
  await shows(page, '.lab-journal pre', 'bbold');
  const curl = await page.run(async () => { const { curlOf } = await import('/_explorer/lab-journal.js'); return curlOf({ method: 'POST', target: '/api/svc/v2/groups', request: { headers: [{ name: 'Host', value: 'x' }, { name: 'Pragma', value: '***' }, { name: 'Authorization', value: 'Bearer ***' }, { name: 'Content-Type', value: 'application/json' }], body: { name: "a'b $(touch /tmp/x)" } } }); });
  assert.equal(curl, "curl -sS -X 'POST' \\\n  -H \"Authorization: Bearer $TOKEN\" \\\n  -H 'Content-Type: application/json' \\\n  --data-raw '{\"name\":\"a'\\''b $(touch /tmp/x)\"}' \\\n  '" + lab.url + "/api/svc/v2/groups'");
  await page.run(() => { const i = [...document.querySelectorAll('label')].find((l) => l.textContent === 'Text has').control; i.value = ''; i.dispatchEvent(new Event('input')); });
  await page.fill('Method', 'All');
  await page.click('button', 'Pause');
  await lab.call('GET', '/orgs');
  await new Promise((done) => setTimeout(done, 2500));
  assert.equal((await seen()).length, 4);
  await page.click('button', 'Go on');
  await page.until(() => document.querySelectorAll('.lab-journal li').length === 5, 'what came meanwhile');
  assert.ok(await page.run(() => document.querySelector('.lab-journal details[open] pre')), 'what was open stays open');
  const fresh = await page.run(async () => { const { fresh: f } = await import('/_explorer/lab-journal.js'); return [f([], ['a']), f(['a', 'b'], ['a', 'b']), f(['a', 'b'], ['b', 'c', 'd']), f(['a', 'a'], ['a', 'a', 'a']), f(['x'], ['a', 'b'])]; });
  assert.deepEqual(fresh, [1, 0, 2, 1, 2]);
});

await test('lab: a token that is refused, a lost connection, and what comes back', async () => {
  const page = await start();
  await inLab(page, 'faults');
  await page.cdp('Network.emulateNetworkConditions', { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
  await problem(page, 0);
  await page.cdp('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
  await page.until(() => !document.querySelector('.problem'), 'the trouble to be over');
  for (const [status, after] of [[503, '1'], [429, '2']]) {
    let times = 0;
    browser.listen((m) => { if (m.method === 'Fetch.requestPaused' && times >= 0) { times++; page.cdp('Fetch.fulfillRequest', { requestId: m.params.requestId, responseCode: status, responseHeaders: [{ name: 'Retry-After', value: after }, { name: 'Content-Type', value: 'application/json' }], body: btoa('{"detail":"not now"}') }).catch(() => {}); } });
    await page.cdp('Fetch.enable', { patterns: [{ urlPattern: '*/_svc/faults' }] });
    assert.match(await problem(page, status), /not now/);
    await new Promise((done) => setTimeout(done, 3000));
    assert.ok(times < 4, 'asked ' + times + ' times in 3 seconds');
    await page.cdp('Fetch.disable');
    times = -1;
    await page.until(() => !document.querySelector('.problem'), 'the trouble to be over: ' + status);
  }
  await page.run(async () => (await import('/_explorer/api.js')).useTestToken('one-that-is-not-it'));
  await page.click('button', 'Add the fault');
  await problem(page, 401);
  await page.fill('Token of test control', lab.testToken);
  await page.click('button.primary', 'Open the Lab');
  await shows(page, 'button', 'Add the fault');
});

await test('lab: moving the clock leaves the page signed in, and so does a clock that others move', async () => {
  const page = await start(), asked = () => page.run(() => document.querySelector('#signin').checkVisibility()), token = () => page.run(() => document.querySelector('#who').textContent);
  for (const step of ['+ 1 day', '+ 1 month']) {
    const before = await text(page, '.lab-time');
    await page.click('button', step);
    await page.until((t) => document.querySelector('.lab-time').innerText !== t, 'the clock to move', before);
    await goto(page, '/groups/' + lab.groupId);
    await heading(page, 'First');
    assert.equal(await asked(), false, step);
    await inLab(page);
    assert.equal(await page.run(() => [...document.querySelectorAll('.hint')].some((e) => /expired/.test(e.innerText))), false, step);
  }
  await goto(page, '/groups/' + lab.groupId);
  await heading(page, 'First');
  await lab.advance(7200);
  await goto(page, '/groups!createGroup'); // a form survives, too
  await page.fill('Name', 'Made after two hours');
  await page.click('button.primary', 'Create project');
  await heading(page, 'Made after two hours');
  assert.equal(await asked(), false);
  assert.match(await token(), /token for/);
  // a token that cannot be replaced: the page asks, and the Lab does not ask again
  await page.cdp('Fetch.enable', { patterns: [{ urlPattern: '*/_svc/token' }] });
  browser.listen((m) => { if (m.method === 'Fetch.requestPaused' && m.params.request.url.endsWith('/_svc/token')) page.cdp('Fetch.fulfillRequest', { requestId: m.params.requestId, responseCode: 404, responseHeaders: [{ name: 'Content-Type', value: 'application/json' }], body: btoa('{"detail":"gone"}') }).catch(() => {}); });
  await lab.advance(7200);
  await page.click('.actions button', 'Refresh');
  await page.until(() => document.querySelector('#signin').checkVisibility(), 'to be asked');
  await page.cdp('Fetch.disable');
  await page.fill('Client secret', lab.clientSecret);
  await page.click('#signin-go');
  await heading(page, 'Made after two hours');
  await goto(page, '/~lab/clock');
  await shows(page, '.lab-time', 'UTC');
  assert.equal(await page.run(() => Boolean(document.querySelector('.lab-token'))), false);
});

await test('lab: names, contrast, width, and pictures', async () => {
  await making('shop');
  await lab.fault({ operation: 'createCluster', status: 503, count: 2 });
  await lab.fault({ operation: 'listOrgs', delayMs: 800, count: 5, chance: 0.5 });
  await lab.control('snapshots', { name: 'before-the-sale' });
  const page = await start({ width: 1440 });
  for (const tab of ['clock', 'faults', 'store', 'journal']) {
    await inLab(page, tab);
    await page.until(() => document.querySelector('.lab-journal li, tbody tr'), 'the list of ' + tab);
    if (tab === 'journal') await page.click('.lab-journal summary');
    assert.deepEqual(await nameless(page), [], tab);
    for (const scheme of ['light', 'dark']) {
      await page.scheme(scheme);
      assert.deepEqual(await pale(page), [], tab + ', ' + scheme);
      for (const [w, h, mobile] of [[390, 844, true], [1080, 800], [1440, 900], [2560, 1200]]) {
        await page.resize(w, h, Boolean(mobile));
        assert.deepEqual(await wide(page), [], tab + ' at ' + w);
        await page.shot('build/web/lab-' + tab + '-' + scheme + '-' + w + '.png', w === 390);
      }
      await page.resize(1440, 900);
    }
  }
  await lab.noFaults();
});

// ---- the link

const linkOf = (s) => new Promise((done) => { let all = ''; s.stdout.on('data', (d) => { all += d; const m = /(http\S+#\/~signin\/\w+)[^]*svcd ready on/.exec(all); if (m) done(m[1]); }); });
const begin = (...more) => spawn('build/svcd', ['--memory', '--bootstrap', 'build/web/link.json', '--sign-in-link', '--listen', 'http://127.0.0.1:0', ...more], { stdio: ['ignore', 'pipe', 'ignore'] });

// Removes the console's messages about refused links, which are correct.
const refusals = (page) => { page.said.splice(0, page.said.length, ...page.said.filter((t) => !/^network: Failed to load resource: .*\/_explorer\/sign-in$/.test(t))); };

await test('link: it signs in once, and leaves no trace', async () => {
  const svcd = begin('--test-control', '--clock', '2030-01-01T00:00:00Z');
  try {
    const link = await linkOf(svcd), page = await newPage();
    const asked = [];
    browser.listen((m) => { if (m.method === 'Network.requestWillBeSent') asked.push(JSON.stringify(m.params)); });
    await page.goto(link);
    await heading(page, 'Administration API');
    const code = link.split('/').pop();
    assert.equal(await page.run(() => location.hash), '');
    assert.ok(!(await page.run(() => location.href + JSON.stringify(history.state) + document.documentElement.outerHTML)).includes(code));
    const { entries } = await page.cdp('Page.getNavigationHistory');
    assert.ok(!entries.some((e) => e.url.includes(code)), 'the history of the tab');
    assert.equal(asked.filter((t) => t.includes('/_explorer/sign-in')).length, 1);
    assert.ok(!asked.some((t) => { const { request } = JSON.parse(t); return (request.url + JSON.stringify(request.headers)).includes(code); }), 'no address and no header has the code');
    assert.deepEqual(await stored(page), []);
    assert.match(await text(page, '#who'), /svc_sa_id_/);
    await bar(page, 'Clock: stopped at 2030-01-01 00:00 UTC'); // the Lab is available, too
    await page.click('#control a', 'Lab');
    await page.click('button', '+ 1 day');
    await bar(page, '2030-01-02 00:00');
    // a second time
    const again = await newPage();
    await again.goto(link);
    assert.match(await problem(again, 410), /used up/);
    assert.ok(!(await again.run(() => location.href)).includes(code));
    await signIn(again, JSON.parse(readFileSync('build/web/link.json')));
    await heading(again, 'Administration API');
    // in a page that is already signed in: it stays signed in
    await again.run((h) => { location.hash = h; }, new URL(link).hash);
    await shows(again, '#banner', 'used up');
    refusals(again);
    assert.ok(!(await again.run(() => location.href)).includes(code));
    await heading(again, 'Administration API');
    for (const p of [page, again]) await p.goto('about:blank');
  } finally { svcd.kill(); }
});

await test('link: a wrong one, one of an svcd without, and one beside a page of another site', async () => {
  const svcd = begin();
  try {
    const link = await linkOf(svcd), url = new URL(link).origin, page = await newPage();
    await page.goto(link.replace(/.{4}$/, (t) => (t === '0000' ? '1111' : '0000')));
    assert.match(await problem(page, 401), /no sign-in link of this svcd/);
    await page.run(() => { location.hash = '#/~signin/%3Cimg%20src=x%3E'; });
    assert.match(await problem(page, 400), /64 hex digits/);
    refusals(page);
    // a page of another origin that has somehow got the code
    const evil = await newPage();
    await evil.goto(lab.url + '/_svc/health');
    const code = link.split('/').pop();
    const answers = await evil.run(async (u, c) => {
      const tries = [{ mode: 'cors', headers: { 'Content-Type': 'application/json' } }, { mode: 'no-cors' }, { mode: 'no-cors', headers: { 'Content-Type': 'text/plain' } }];
      return Promise.all(tries.map((t) => fetch(u + '/_explorer/sign-in', { method: 'POST', body: JSON.stringify({ code: c }), ...t }).then((r) => r.status, () => 'refused')));
    }, url, code);
    assert.deepEqual(answers, ['refused', 0, 0]);
    evil.said.length = 0; // the browser has reported it
    await page.goto('about:blank');
    await page.goto(link);
    await heading(page, 'Administration API'); // none of them has used up the link
    for (const p of [page, evil]) await p.goto('about:blank');
  } finally { svcd.kill(); }
});

await lab.end();
