// The API reference inside the page: every operation is listed and can be shown, and its examples lead to a working call.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { nameless, pale, wide } from './inspect.mjs';
import { company, goto, heading, home, plain, spoken, test } from './kit.mjs';

const show = async (page, id, title) => { await goto(page, '/~reference/' + id); await heading(page, title); await page.until(() => document.querySelector('.reffacts'), 'the operation'); };

await test('reference: every operation is found by area and by words', async () => {
  const page = await home();
  await page.click('#nav a', 'API reference');
  await heading(page, 'API reference');
  const document_ = await (await fetch(plain.url + '/openapi.json', { redirect: 'follow' })).json();
  const expected_ = Object.values(document_.paths).filter((i) => !i.servers).flatMap((i) => ['get', 'post', 'put', 'patch', 'delete'].filter((m) => i[m]).map((m) => i[m].operationId));
  await page.until(() => document.querySelector('.refarea'), 'the areas');
  await page.run(() => document.querySelectorAll('.refarea').forEach((d) => { d.open = true; }));
  const ids = await page.until((n) => { const all = [...document.querySelectorAll('.ops a')]; return all.length >= n && all.map((a) => decodeURIComponent(a.hash.split('/').pop())); }, 'all operations', expected_.length);
  assert.deepEqual(expected_.filter((id) => !ids.includes(id)), []);
  assert.ok(ids.length >= 447 && new Set(ids).size === ids.length, ids.length);
  assert.equal(await page.run(() => [...document.querySelectorAll('.refarea section')].filter((s) => !s.querySelector('p')?.textContent).length), 0, 'each resource is described');
  await page.shot('build/web/reference-light.png');
  await page.fill('Search operations', 'create cluster');
  await page.until(() => [...document.querySelectorAll('.ops a')].some((a) => a.hash.endsWith('/createCluster')), 'createCluster');
  assert.ok(await page.run(() => [...document.querySelectorAll('.ops a')].every((a) => /create/i.test(a.textContent + a.hash))));
  await page.fill('Search operations', 'nothing-of-this');
  await page.until(() => /No operation has/.test(document.querySelector('main [role=status]').textContent), 'that nothing is found');
});

await test('reference: an operation has roles, limit, versions, fields, errors, code', async () => {
  const page = await home();
  await show(page, 'createCluster', 'Create cluster');
  const facts = await page.run(() => Object.fromEntries([...document.querySelectorAll('.reffacts > div')].map((d) => [d.firstChild.textContent, d.lastChild.textContent])));
  assert.equal(await page.run(() => document.querySelector('.crumbs').innerText.replace(/\s*[/\n]\s*/g, ' / ')), 'Home / API reference / createCluster');
  assert.match(facts.Roles, /GROUP_CLUSTER_CREATOR/);
  assert.match(facts.Limit, /Clusters: \d+ requests per project, \d+ more every 60 seconds/);
  assert.match(facts.Versions, /^2024-10-23, 2024-08-05 \(until 2027-03-01\)/);
  const text = await page.run(() => document.querySelector('#content').innerText);
  for (const part of ['Parameters', 'Body', 'Answer', 'Errors', 'Code', 'Try it']) assert.ok(text.includes(part), part);
  assert.ok(!text.includes('\x60') && !/undefined|\[object/.test(text), 'no raw marks');
  assert.deepEqual(await page.run(() => [...document.querySelectorAll('.refpart tbody tr')].map((r) => r.cells[0].textContent)), ['400', '401', '402', '403', '404', '406', '409', '413', '415', '429']);
  await page.run(() => { const d = [...document.querySelectorAll('.inner')].find((x) => x.textContent.includes('replicationSpecs')); d.open = true; });
  await page.until(() => [...document.querySelectorAll('.inner .inner summary')].some((s) => s.textContent.includes('regionConfigs')), 'fields inside of fields');
  assert.deepEqual(await nameless(page), []);
  assert.deepEqual(await pale(page), []);
  await page.shot('build/web/reference-createCluster-light.png');
  await page.cdp('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'dark' }] });
  assert.deepEqual(await pale(page), []);
  await page.shot('build/web/reference-createCluster-dark.png');
  for (const width of [390, 1080, 2560]) {
    await page.cdp('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: false });
    assert.deepEqual(await wide(page), [], width + ' px');
    await page.shot('build/web/reference-' + width + '.png');
  }
});

await test('reference: every operation is drawn', async () => {
  const page = await home();
  await goto(page, '/~reference');
  await heading(page, 'API reference');
  await page.until(() => document.querySelector('.refarea'), 'the areas');
  await page.run(() => document.querySelectorAll('.refarea').forEach((d) => { d.open = true; }));
  const ids = await page.until(() => { const all = [...document.querySelectorAll('.ops a')]; return all.length > 440 && all.map((a) => decodeURIComponent(a.hash.split('/').pop())); }, 'all operations');
  const poor = [];
  for (const id of ids) {
    await goto(page, '/~reference/' + id);
    const said = await page.until((i) => { const f = document.querySelector('.reffacts'); return f?.textContent.includes(i) && document.querySelector('#content .lead') && document.querySelector('#content').innerText; }, id, id);
    if (/undefined|\[object|NaN/.test(said) || !/\nErrors\n/.test(said) || !/\nLimit\n|\nRoles\n/.test(said)) poor.push(id);
  }
  assert.deepEqual(poor, []);
});

await test('reference: "Try it" leads to the resource and to the form, and asks for what is not known', async () => {
  const page = await home({}, company);
  await goto(page, '/groups/' + company.groupId);
  await page.until(() => document.querySelector('[role=tab]'), 'the project');
  await show(page, 'listClusters', 'List clusters');
  assert.equal(await page.run(() => document.querySelector('.try input').value), company.groupId);
  await page.click('.try button', 'Show it');
  await page.until((g) => location.hash === '#/groups/' + g + '/clusters', 'the list', company.groupId);
  await show(page, 'deleteCluster', 'Delete cluster');
  await page.fill('clusterName', 'no such');
  await page.click('.try button', 'Open the form');
  await page.until(() => location.hash.endsWith('/clusters/no%20such!deleteCluster'), 'the form');
  await goto(page, '/~reference/noSuch');
  await page.until(() => /no operation noSuch/.test(document.querySelector('#content').textContent), 'that there is none');
});

await test('reference: its code runs', async () => {
  const page = await home();
  await goto(page, '/groups/' + plain.groupId);
  await page.until(() => document.querySelector('[role=tab]'), 'the project');
  await show(page, 'createDatabaseUser', 'Create database user');
  const env = { ...process.env, CLIENT_ID: plain.clientId, CLIENT_SECRET: plain.clientSecret }, code = {};
  for (const language of ['curl', 'Python', 'Node', 'Go']) {
    await page.run((l) => { const s = [...document.querySelectorAll('.refpart select')].pop(); s.value = l; s.dispatchEvent(new Event('change')); }, language);
    code[language] = await page.run(() => [...document.querySelectorAll('.snippet pre')].pop().textContent);
  }
  const first = spawnSync('sh', ['-c', code.curl], { env, encoding: 'utf8' });
  assert.match(first.stdout, /"username"/, first.stdout + first.stderr);
  const again = spawnSync(process.execPath, ['--input-type=module', '-e', code.Node], { env, encoding: 'utf8' });
  assert.match(again.stderr, /USER_ALREADY_EXISTS|already/i, again.stdout + again.stderr);
  if (spawnSync('go', ['version']).status === 0) {
    mkdirSync('build/web/go', { recursive: true });
    writeFileSync('build/web/go/main.go', code.Go);
    const go = spawnSync('go', ['run', 'build/web/go/main.go'], { env: { ...env, GOFLAGS: '-mod=mod', GO111MODULE: 'off' }, encoding: 'utf8' });
    assert.match(go.stderr, /409 Conflict/, go.stdout + go.stderr);
  }
});

await test('reference: in the words of a dialect', async () => {
  const page = await home({}, spoken);
  await show(page, 'createCluster', 'Create cluster');
  assert.ok(!(await page.run(() => document.querySelector('#content').innerText)).includes('/api/svc/'), 'no word of ours');
});
