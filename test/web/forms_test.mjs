// Forms: essential fields first, the cost of a cluster, choices that depend on others, previews that run, changes of an update,
// and deleting by name.
import { spawnSync } from 'node:child_process';
import assert from 'node:assert/strict';
import { service } from './service.mjs';
import { nameless, pale, wide } from './inspect.mjs';
import { acme, company, newPage, signIn, home as homeOf, test, heading, state, problem, goto, lastPatch } from './kit.mjs';

const plain = await service('forms'); // these tests create projects and move the clock
const home = async (options, s = plain) => {
  if (s === plain) await plain.advance(61); // ten tokens per minute
  return homeOf(options, s);
};

const labels = (page) => page.run(() => [...document.querySelectorAll('#content form label, #content form legend')].filter((e) => e.checkVisibility() && !e.closest('.picks, .checks')).map((e) => e.firstChild.textContent.trim()));
const options = (page, label) => page.run((l) => [...[...document.querySelectorAll('#content label')].find((e) => e.firstChild.textContent.trim() === l).control.options].map((o) => o.value), label);
const valueOf = (page, label) => page.run((l) => [...document.querySelectorAll('#content label')].find((e) => e.firstChild.textContent.trim() === l)?.control.value, label);
const pick = (page, legend, text) => page.until((l, t) => {
  const set = [...document.querySelectorAll('#content fieldset')].find((f) => f.checkVisibility() && f.querySelector('legend').firstChild.textContent.trim() === l), label = [...(set?.querySelectorAll('.picks label') ?? [])].find((e) => e.textContent.startsWith(t));
  label?.click();
  return Boolean(label);
}, legend + ' ' + text, legend, text);
const picked = (page, legend) => page.run((l) => [...document.querySelectorAll('#content fieldset')].find((f) => f.querySelector('legend').firstChild.textContent.trim() === l)?.querySelector(':checked')?.value, legend);
const formAt = async (page, path, text) => { await goto(page, path); await page.until((t) => document.querySelector('#view h1')?.textContent === t && document.querySelector('#content form'), 'the form ' + path, text); };
const more = async (page) => { await page.click('#content .more > summary'); await page.until(() => document.querySelector('#content .more[open] > .group')?.firstChild, 'more settings'); };
const preview = (page) => page.run(() => document.querySelector('.preview pre').textContent);
const body = async (page) => { await page.click('.preview [role=tab]', 'JSON'); return JSON.parse(await preview(page)); };
const schemes = async (page, name) => {
  for (const scheme of ['light', 'dark']) {
    await page.scheme(scheme);
    assert.deepEqual(await pale(page), [], name + ' ' + scheme);
    await page.shot('build/web/' + name + '-' + scheme + '.png', true);
  }
  await page.scheme('light');
};

await test('forms: from sign-in to a cluster in three clicks', async () => {
  const page = await newPage({ width: 1440 });
  let clicks = 0;
  const click = async (...at) => { clicks++; await page.click(...at); };
  await page.goto(plain.url + '/');
  await page.fill('Client id', plain.clientId);
  await page.fill('Client secret', plain.clientSecret);
  await click('#signin-go');
  await page.until(() => document.querySelector('.glance .primary'), 'what one has');
  await schemes(page, 'forms-home');
  await click('.glance a', 'Create cluster');
  await page.until(() => document.querySelector('#content form'), 'the form');
  assert.deepEqual(await labels(page), ['Name', 'Provider', 'Region', 'Tier', 'Nodes']);
  await page.fill('Name', 'clicked');
  await schemes(page, 'forms-cluster');
  await click('button.primary', 'Create cluster');
  await heading(page, 'clicked');
  await state(page, 'CREATING');
  assert.ok(clicks <= 4, clicks + ' clicks');
});

await test('forms: the price shown is the price billed', async () => {
  const page = await home({ width: 1440 }), { id } = await plain.call('POST', '/groups', { name: 'Priced', orgId: plain.orgId }), shown = async () => {
    const m = /\$([\d,.]+) per hour.*\$([\d,.]+) a month/s.exec(await page.until(() => document.querySelector('.price:not([hidden])')?.innerText, 'a price'));
    return { hour: Number(m[1].replace(/,/g, '')), month: Number(m[2].replace(/,/g, '')) };
  };
  await formAt(page, '/groups/' + id + '/clusters!createCluster', 'Create cluster');
  await page.fill('Name', 'priced');
  const small = await shown();
  await page.fill('Tier', 'M40');
  await pick(page, 'Nodes', '5');
  const large = await shown();
  assert.ok(large.hour > small.hour && Math.abs(large.month - large.hour * 730) < 0.01, JSON.stringify([small, large]));
  assert.match(await page.run(() => [...document.querySelectorAll('#content option')].find((o) => o.value === 'M40').textContent), new RegExp('\\$' + large.hour + ' per hour'));
  await page.click('button.primary', 'Create cluster');
  await heading(page, 'priced');
  await plain.advance(60 * 3600); // includes a whole day
  const { results: bills } = await plain.call('GET', '/orgs/' + plain.orgId + '/invoices/pending'), lines = bills.flatMap((b) => b.lineItems).filter((i) => i.groupId === id && i.clusterName === 'priced');
  const dollars = lines.reduce((n, i) => n + i.quantity / 5 * large.hour, 0);
  assert.ok(lines.length > 0 && lines.every((i) => Math.abs(i.unitPriceDollars * 5 - large.hour) < 1e-9), JSON.stringify(lines));
  assert.ok(Math.abs(lines.reduce((n, i) => n + i.totalPriceCents, 0) / 100 - dollars) < 0.01 * lines.length, 'the invoice bills what was shown');
  const whole = lines.find((i) => i.quantity === 120);
  assert.equal(whole?.totalPriceCents, Math.round(24 * large.hour * 100), 'a day of it: ' + JSON.stringify(lines));
  // an update shows both prices; a paused cluster costs nothing
  await page.click('#out');
  await signIn(page, plain);
  await formAt(page, '/groups/' + id + '/clusters/priced!updateCluster', 'Update cluster');
  await page.fill('Tier', 'M30');
  assert.match(await page.run(() => document.querySelector('.price').innerText), new RegExp('\\$' + large.hour + '0? → \\$0\\.90 per hour'));
  await page.run(() => [...document.querySelectorAll('#content label')].find((l) => l.textContent.startsWith('Paused')).click());
  assert.match(await page.run(() => document.querySelector('.price').innerText), /\$0\.00 per hour/);
});

await test('forms: choices depend on each other, and only what can be is offered', async () => {
  const page = await home({ width: 1440 }), { id } = await plain.call('POST', '/groups', { name: 'Chosen', orgId: plain.orgId });
  const { results: listed } = await plain.call('GET', '/groups/' + id + '/clusters/provider/regions');
  await formAt(page, '/groups/' + id + '/clusters!createCluster', 'Create cluster');
  await page.fill('Name', 'chosen');
  await page.fill('Tier', 'M60_NVME');
  for (const cloud of ['AZURE', 'GCP', 'AWS']) {
    await pick(page, 'Provider', cloud);
    const of = listed.find((p) => p.provider === cloud), sizes = of.instanceSizes.map((s) => s.name).filter((s) => !['M2', 'M5'].includes(s)), regions = of.instanceSizes[0].availableRegions;
    assert.deepEqual((await options(page, 'Region')).sort(), regions.map((r) => r.name).sort(), cloud);
    assert.deepEqual((await options(page, 'Tier')).sort(), sizes.sort(), cloud);
    assert.equal(await valueOf(page, 'Region'), regions.find((r) => r.default).name);
    assert.equal(await page.run(() => document.activeElement.value), cloud); // the focus does not move
    if (cloud === 'AZURE') assert.equal(await valueOf(page, 'Tier'), 'M60_NVME'); // which Azure has, too
    if (cloud === 'GCP') assert.equal(await valueOf(page, 'Tier'), 'M60'); // the nearest tier
  }
  await pick(page, 'Nodes', '5');
  await page.fill('Region', 'EU_WEST_1');
  const asked = (await body(page)).replicationSpecs[0].regionConfigs[0];
  assert.deepEqual(asked, { providerName: 'AWS', regionName: 'EU_WEST_1', priority: 7, electableSpecs: { instanceSize: 'M60', nodeCount: 5 } });
  // a free cluster runs on shared machines
  await page.fill('Tier', 'M0');
  assert.deepEqual((await body(page)).replicationSpecs[0].regionConfigs[0], { providerName: 'TENANT', backingProviderName: 'AWS', regionName: 'EU_WEST_1', priority: 7, electableSpecs: { instanceSize: 'M0' } });
  assert.ok(!(await labels(page)).includes('Nodes'));
  await page.click('button.primary', 'Create cluster');
  await heading(page, 'chosen');
  // without the service's list, the values of the document are offered
  await plain.fault({ operation: 'listClusterProviderRegions', status: 503 });
  await plain.fault({ operation: 'listSkus', status: 503 });
  await formAt(page, '/groups/' + id + '/clusters!createCluster', 'Create cluster');
  assert.ok((await options(page, 'Region')).includes('EU_WEST_1') && (await options(page, 'Tier')).includes('M30'));
  assert.equal(await page.run(() => document.querySelector('.price').hidden), true);
  await plain.noFaults();
});

await test('forms: several regions in the short form, all of it in the long one', async () => {
  const page = await home({ width: 1440 }, company), { results: groups } = await company.call('GET', '/groups'), group = groups.find((g) => g.name === 'production').id;
  await formAt(page, '/groups/' + group + '/clusters/orders!updateCluster', 'Update cluster');
  assert.deepEqual((await labels(page)).slice(0, 2), ['Tier', 'Backup']); // it has two regions: these are in the long form
  assert.equal(await page.run(() => document.querySelector('#content button.primary').disabled), true);
  await page.fill('Tier', 'M40');
  const changes = await page.run(() => [...document.querySelectorAll('.changes li')].map((e) => e.innerText));
  assert.deepEqual(changes, [0, 1].flatMap((i) => ['electable', 'readOnly'].map((kind) => 'replicationSpecs[0].regionConfigs[' + i + '].' + kind + 'Specs.instanceSize M30 → M40')));
  assert.ok(!(await options(page, 'Tier')).includes('M0')); // a cluster cannot go back to shared machines
  await schemes(page, 'forms-update');
  await page.click('button', 'All regions, shards and hardware');
  assert.ok((await page.run(() => [...document.querySelectorAll('summary')].map((s) => s.textContent))).filter((t) => t.startsWith('electableSpecs')).length === 2);
  await page.click('button', 'Back to the short form');
  assert.equal(await valueOf(page, 'Tier'), 'M40');
  await page.fill('Tier', 'M30');
  assert.equal(await page.run(() => document.querySelector('#content button.primary').disabled), true);
  // read-only fields are not in the form
  await more(page);
  const all = await page.run(() => [...document.querySelectorAll('#content .more summary, #content .more label, #content .more legend')].map((e) => e.firstChild?.textContent.trim()));
  assert.ok(all.includes('advancedConfiguration') && !all.includes('connectionStrings') && !all.includes('stateName'), all.join());
  assert.deepEqual(await page.run(() => [...document.querySelectorAll('.about > h3')].map((e) => e.textContent)), ['Backup', 'Security', 'Hardware and scaling', 'Version', 'Notes and tags', 'Other'].filter((g) => all.length && g));
  assert.ok(!(await page.run(() => [...document.querySelectorAll('#content fieldset')].find((f) => f.querySelector('legend').textContent.startsWith('diskWarmingMode')).innerText)).includes('Not set')); // the field cannot be cleared
  // viewing is not a change
  assert.equal(await page.run(() => document.querySelector('#content button.primary').disabled), true);
  assert.match(await page.run(() => document.querySelector('.changes').innerText), /Nothing yet/);
  assert.deepEqual(await nameless(page), []);
  await schemes(page, 'forms-more');
});

await test('forms: an update sends what changed, and says so', async () => {
  const page = await home(), group = plain.groupId;
  await plain.call('POST', '/groups/' + group + '/databaseUsers', { databaseName: 'admin', username: 'changing', password: 'correct horse battery', roles: [{ roleName: 'read', databaseName: 'shop' }] });
  await formAt(page, '/groups/' + group + '/databaseUsers/admin/changing!updateDatabaseUser', 'Update database user');
  assert.equal(await page.run(() => document.querySelector('#content button.primary').disabled), true);
  await page.fill('Role', 'readWrite');
  await page.fill('New password', 'another horse battery');
  assert.deepEqual(await page.run(() => [...document.querySelectorAll('.changes li')].map((e) => e.innerText)), ['roles[0].roleName read → readWrite', 'password not set → ••••••••']);
  await page.click('button.primary', 'Update database user');
  await heading(page, 'changing');
  assert.deepEqual(Object.keys(await lastPatch(plain)).sort(), ['password', 'roles']);
});

await test('forms: previews run as they are, and hide secrets', async () => {
  const page = await home({ width: 1440 }), env = { ...process.env, CLIENT_ID: plain.clientId, CLIENT_SECRET: plain.clientSecret };
  await formAt(page, '/groups/' + plain.groupId + '/databaseUsers!createDatabaseUser', 'Create database user');
  assert.deepEqual((await labels(page)).slice(0, 5), ['User name', 'Password', 'Database that checks the password', 'Role', 'Database']);
  await page.fill('User name', "o'neil $(id) \"x\"");
  await page.click('button', 'Generate');
  const password = await valueOf(page, 'Password');
  assert.match(password, /^[\w]{24}$/);
  assert.equal(await page.run(() => [...document.querySelectorAll('.with input')].find((i) => i.value.length === 24).type), 'text');
  await page.click('.with button', 'Hide');
  assert.equal(await page.run(() => [...document.querySelectorAll('.with input')].find((i) => i.value.length === 24).type), 'password');
  await page.fill('Role', 'readWrite');
  await page.fill('Database', 'shop');
  for (const name of ['JSON', 'curl', 'Python', 'Node']) {
    await page.click('.preview [role=tab]', name);
    const text = await preview(page);
    assert.ok(text.includes('••••••••') && !text.includes(password) && text.includes('readWrite'), name);
  }
  await page.run(() => { globalThis.copied = ''; navigator.clipboard.writeText = async (t) => { globalThis.copied = t; }; });
  await page.click('.preview button', 'Copy');
  assert.equal(await page.run(() => globalThis.copied), await preview(page));
  await page.click('.preview button', 'Show secrets');
  await schemes(page, 'forms-user');
  const run = { curl: (t) => spawnSync('sh', ['-c', t], { env, encoding: 'utf8' }), Node: (t) => spawnSync(process.execPath, ['--input-type=module', '-e', t], { env, encoding: 'utf8' }),
    // requests may not be installed: its two calls, made with Python's standard library
    Python: (t) => spawnSync('python3', ['-c', ['import sys, types, json, urllib.request, urllib.parse, base64', 'def send(method, url, data=None, auth=None, headers=None, json=None):', '  import json as j; h = dict(headers or {})',
      '  if auth: h["Authorization"] = "Basic " + base64.b64encode(":".join(auth).encode()).decode()', '  if json is not None: h["Content-Type"] = "application/json"',
      '  b = urllib.parse.urlencode(data).encode() if data else j.dumps(json).encode() if json is not None else None', '  r = urllib.request.urlopen(urllib.request.Request(url, b, h, method=method)); text = r.read().decode()',
      '  return types.SimpleNamespace(status_code=r.status, text=text, json=lambda: j.loads(text), raise_for_status=lambda: None)',
      'm = types.ModuleType("requests"); sys.modules["requests"] = m', 'for v in ["get", "post", "put", "patch", "delete"]: setattr(m, v, (lambda v: lambda url, **k: send(v.upper(), url, **k))(v))', t].join('\n')], { env, encoding: 'utf8' }) };
  for (const [i, name] of ['curl', 'Python', 'Node'].entries()) {
    const user = "o'neil $(id) \"x\" " + i;
    await page.fill('User name', user);
    await page.click('.preview [role=tab]', name);
    const text = await preview(page), { stdout, stderr } = run[name](text);
    assert.match(stdout, /"username":/, name + ': ' + stderr + stdout + text);
    assert.deepEqual((await plain.call('GET', '/groups/' + plain.groupId + '/databaseUsers/admin/' + encodeURIComponent(user))).roles, [{ databaseName: 'shop', roleName: 'readWrite' }]);
  }
  // by keyboard
  await page.run(() => document.querySelector('.preview [role=tab][aria-selected=true]').focus());
  await page.key('ArrowRight');
  assert.equal(await page.run(() => document.activeElement.textContent + document.activeElement.ariaSelected), 'JSONtrue');
});

await test('forms: switches, defaults, few choices, help', async () => {
  const page = await home({ width: 1440 });
  await formAt(page, '/groups!createGroup', 'Create project');
  assert.deepEqual(await labels(page), ['Name', 'Organization']);
  assert.equal(await valueOf(page, 'Organization'), plain.orgId);
  await page.fill('Name', 'Switched');
  await more(page);
  const alerts = () => page.run(() => { const e = [...document.querySelectorAll('#content label')].find((l) => l.textContent.startsWith('withDefaultAlertsSettings')).control; return [e.getAttribute('role'), e.checked]; });
  assert.deepEqual(await alerts(), ['switch', true]); // the default
  assert.deepEqual(await body(page), { name: 'Switched', orgId: plain.orgId });
  await page.run(() => [...document.querySelectorAll('#content label')].find((l) => l.textContent.startsWith('withDefaultAlertsSettings')).control.focus());
  await page.key('Space');
  assert.deepEqual(await alerts(), ['switch', false]);
  assert.equal((await body(page)).withDefaultAlertsSettings, false);
  assert.ok(await page.run(() => [...document.querySelectorAll('.hint code')].some((c) => c.textContent === 'true') && !document.querySelector('#content form').innerText.includes('\x60')));
  await formAt(page, '/groups/' + plain.groupId + '/clusters!createCluster', 'Create cluster');
  await more(page);
  assert.equal(await picked(page, 'diskWarmingMode'), '');
  assert.match(await page.run(() => document.querySelector('#content').innerText), /FULLY_WARMED \(default\)/);
  await pick(page, 'diskWarmingMode', 'VISIBLE');
  assert.equal((await body(page)).diskWarmingMode, 'VISIBLE_EARLIER');
  await schemes(page, 'forms-settings');
  // an error appears next to its field, and the first error gets the focus
  await page.fill('Name', '-wrong');
  await page.click('button.primary', 'Create cluster');
  assert.equal(await page.run(() => document.activeElement.value), '-wrong');
  // the service names a field deeper than the one in the short form
  await page.fill('Name', 'right');
  await page.click('button', 'All regions, shards and hardware');
  await page.click('summary', 'electableSpecs is set');
  await page.fill('nodeCount', '4');
  await page.click('button', 'Back to the short form');
  assert.equal(await picked(page, 'Nodes'), '4');
  await page.click('button.primary', 'Create cluster');
  await problem(page, 400);
  assert.match(await page.until(() => document.querySelector('.place > .error:not([hidden])')?.textContent, 'what is wrong'), /3, 5 or 7/);
  assert.ok(await page.run(() => document.querySelector('.place').contains(document.activeElement)));
});

await test('forms: what is needed, of each', async () => {
  const page = await home({ width: 1440 }, company), { results: groups } = await company.call('GET', '/groups'), group = groups.find((g) => g.name === 'production').id, org = groups[0].orgId, g = '/groups/' + group, c = g + '/clusters/orders';
  for (const [path, title, first] of [[g + '/accessList!createAccessListEntry', 'Create access list entry', ['IP address', 'Network (CIDR)', 'Comment', 'Removed at']], [g + '/alertConfigs!createAlertConfig', 'Create alert config', ['What to watch', 'typeName', 'Enabled']],
    ['/orgs/' + org + '/serviceAccounts!createOrgServiceAccount', 'Create organization service account', ['Name', 'What it is for', 'Roles', 'Hours until its secret expires']], ['/orgs/' + org + '/apiKeys!createOrgApiKey', 'Create organization api key', ['What it is for', 'Roles']],
    ['/orgs/' + org + '/invites!createOrgInvite', 'Create organization invite', ['Email address', 'Roles']], [g + '/invites!createGroupInvite', 'Create project invite', ['Email address', 'Roles']], ['/orgs/' + org + '/teams!createOrgTeam', 'Create organization team', ['Name', 'Members']],
    [c + '/backup/snapshots!takeSnapshots', 'Take snapshots', ['Description', 'Days to keep it']], [c + '/backup/restoreJobs!createBackupRestoreJob', 'Create backup restore job', ['How', 'Snapshot', 'Into the cluster', 'In the project', 'Moment (seconds since 1970)']],
    [c + '/search/indexes!createClusterSearchIndex', 'Create cluster search index', ['type']], [c + '/onlineArchives!createOnlineArchive', 'Create online archive', ['Database', 'Collection']], [g + '/peers!createGroupPeer', 'Create project peer', ['providerName']],
    [g + '/privateEndpoint/endpointService!createPrivateEndpointService', 'Create private endpoint service', ['Provider', 'Region']], [g + '/flexClusters!createFlexCluster', 'Create flex cluster', ['Name', 'Provider', 'Region']]]) {
    await company.advance(61);
    await formAt(page, path, title);
    assert.deepEqual((await labels(page)).slice(0, first.length), first, path);
    assert.deepEqual(await nameless(page), [], path);
    assert.deepEqual(await pale(page), [], path);
  }
  assert.match(await page.run(() => document.querySelector('.price').innerText), /\$0\.011 per hour/);
  for (const cloud of ['GCP', 'AWS']) {
    await pick(page, 'Provider', cloud);
    const { results } = await company.call('GET', g + '/clusters/provider/regions?providers=' + cloud);
    assert.deepEqual((await options(page, 'Region')).filter(Boolean), results[0].instanceSizes[0].availableRegions.map((r) => r.name), cloud);
  }
  // choices come from the service
  await company.advance(61);
  await formAt(page, c + '/backup/restoreJobs!createBackupRestoreJob', 'Create backup restore job');
  const { results: snapshots } = await company.call('GET', c + '/backup/snapshots'), offered = await page.run(() => [...document.querySelectorAll('datalist')].map((d) => [...d.options].map((o) => o.value)));
  assert.ok((await options(page, 'Snapshot')).includes(snapshots[0].id) && offered.some((l) => l.includes('orders')));
  assert.match(await page.run((id) => [...document.querySelectorAll('#content option')].find((o) => o.value === id).textContent, snapshots[0].id), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  await page.shot('build/web/forms-restore-light.png', true);
  // the service knows this account's address from the account's own events, not from those of others
  await company.call('POST', g + '/accessList', [{ ipAddress: '192.0.2.77' }]);
  await formAt(page, g + '/accessList!createAccessListEntry', 'Create access list entry');
  await page.click('button', 'My address');
  await page.until(() => [...document.querySelectorAll('#content label')].find((l) => l.textContent.startsWith('IP address')).control.value === '127.0.0.1', 'the address');
  assert.deepEqual(await body(page), [{ ipAddress: '127.0.0.1' }]);
  await page.shot('build/web/forms-access-light.png', true);
  const { clientId, secrets } = await company.call('POST', '/orgs/' + org + '/serviceAccounts', { name: 'idle', description: 'has done nothing', roles: ['ORG_OWNER'], secretExpiresAfterHours: 8 });
  await page.click('#out');
  await signIn(page, company, clientId, secrets[0].secret);
  await page.click('#content button', 'My address');
  await page.until(() => [...document.querySelectorAll('#content .error')].some((e) => /does not show your address/.test(e.textContent)), 'that there is none');
});

await test('forms: deleting asks for the name, by keyboard too', async () => {
  const page = await home(), { id } = await plain.call('POST', '/groups', { name: 'Going away', orgId: plain.orgId });
  const asked = () => page.run(() => ({ open: document.querySelector('#ask').open, at: document.activeElement.id, off: document.querySelector('#ask-yes').disabled, text: document.querySelector('#ask').innerText }));
  await goto(page, '/groups/' + id);
  await heading(page, 'Going away');
  await page.click('.actions button', 'Delete project');
  await page.until(() => document.querySelector('#ask').open, 'the question');
  assert.deepEqual([(await asked()).at, (await asked()).off], ['ask-name', true]);
  assert.match((await asked()).text, /database users, network access[^]*Type Going away/);
  await page.type('Going awa');
  await page.key('Enter');
  assert.deepEqual([(await asked()).open, (await asked()).off], [true, true]);
  await page.type('y');
  assert.equal((await asked()).off, false);
  await schemes(page, 'forms-delete');
  await page.key('Escape');
  assert.equal((await asked()).open, false);
  assert.equal((await plain.call('GET', '/groups/' + id)).name, 'Going away');
  await page.click('.actions button', 'Delete project');
  await page.until(() => document.activeElement.id === 'ask-name', 'the question');
  assert.equal((await asked()).off, true); // the typed name is cleared
  await page.type('Going away');
  await page.key('Enter');
  assert.match(await page.until(() => document.querySelector('.done')?.textContent, 'that it is gone'), /Going away is deleted/);
  // a database user: a simple confirmation
  await plain.call('POST', '/groups/' + plain.groupId + '/databaseUsers', { databaseName: 'admin', username: 'leaving', password: 'correct horse battery', roles: [{ roleName: 'read', databaseName: 'shop' }] });
  await goto(page, '/groups/' + plain.groupId + '/databaseUsers/admin/leaving');
  await heading(page, 'leaving');
  await page.click('.actions button', 'Delete database user');
  await page.until(() => document.querySelector('#ask').open, 'the question');
  assert.deepEqual([(await asked()).at, (await asked()).off], ['ask-no', false]);
  assert.ok(!(await page.run(() => document.querySelector('#ask-name').checkVisibility())));
  await page.click('#ask-yes');
  assert.match(await page.until(() => document.querySelector('.done')?.textContent, 'that it is gone'), /leaving is deleted/);
});

await test('forms: a dialect has the short form in its words', async () => {
  const page = await home({}, acme);
  await formAt(page, '/groups/' + acme.groupId + '/machines!createCluster', 'Create cluster');
  assert.deepEqual(await labels(page), ['Name', 'Provider', 'Region', 'Tier', 'Nodes']);
  await page.fill('Name', 'spoken');
  assert.deepEqual((await body(page)).shards, [{ regionConfigs: [{ providerName: 'AMAZON', regionName: 'US_EAST_1', priority: 7, electableSpecs: { tier: 'M10', nodeCount: 3 } }] }]);
  await page.click('button.primary', 'Create cluster');
  await heading(page, 'spoken');
});

await test('forms: from a phone to a wall', async () => {
  const page = await home({}, company), { results: groups } = await company.call('GET', '/groups'), group = groups.find((g) => g.name === 'production').id;
  for (const path of ['/', '/groups/' + group + '/clusters!createCluster', '/groups/' + group + '/clusters/orders!updateCluster', '/groups/' + group + '/databaseUsers!createDatabaseUser']) {
    await company.advance(61);
    await goto(page, path);
    await page.until((p) => location.hash === '#' + p && !document.querySelector('[aria-busy]') && document.querySelector('#content form, .glance .cards'), path, path);
    if (path !== '/') await page.run(() => document.querySelectorAll('#content details').forEach((d) => { d.open = true; d.dispatchEvent(new Event('toggle')); }));
    for (const width of [390, 1080, 1440, 2560]) {
      await page.resize(width, 900);
      assert.deepEqual(await wide(page), [], path + ' at ' + width);
      await page.shot('build/web/forms-' + (path.split('!')[1] ?? 'home') + '-' + width + '.png', true);
    }
  }
});

await test('forms: JSON and back, a change of provider drops what was of the other, and no connection', async () => {
  const page = await home(), { id } = await plain.call('POST', '/groups', { name: 'Turned', orgId: plain.orgId });
  await formAt(page, '/groups/' + id + '/clusters!createCluster', 'Create cluster');
  await page.fill('Name', 'turned');
  await page.click('.tab', 'JSON');
  await page.run(() => { const e = document.querySelector('textarea.code'), o = JSON.parse(e.value); delete o.clusterType; o.replicationSpecs[0].regionConfigs[0].electableSpecs.diskSizeGB = 80; o.paused = false; e.value = JSON.stringify(o); e.dispatchEvent(new Event('input', { bubbles: true })); });
  assert.equal((await body(page)).replicationSpecs[0].regionConfigs[0].electableSpecs.diskSizeGB, 80); // the preview shows the typed value
  await page.click('.tab', 'Form');
  assert.equal('clusterType' in await body(page), false); // a removed member stays removed
  await page.fill('Tier', 'M20');
  assert.equal((await body(page)).replicationSpecs[0].regionConfigs[0].electableSpecs.diskSizeGB, 80);
  await pick(page, 'Provider', 'AZURE');
  assert.deepEqual((await body(page)).replicationSpecs[0].regionConfigs[0], { providerName: 'AZURE', regionName: 'US_EAST_2', priority: 7, electableSpecs: { instanceSize: 'M20', nodeCount: 3 } });
  // the modules of forms are preloaded, so a form opens without a connection
  const far = await newPage();
  await far.goto(plain.url + '/');
  await signIn(far, plain);
  await heading(far, 'Administration API');
  await far.until(() => performance.getEntriesByType('resource').some((r) => r.name.endsWith('/preview.js') && r.responseEnd), 'the modules');
  await far.cdp('Network.emulateNetworkConditions', { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
  await goto(far, '/groups/' + id + '/clusters!createCluster');
  await far.until(() => document.querySelector('#content form'), 'the form');
  assert.deepEqual(await labels(far), ['Name', 'Provider', 'Region', 'Tier', 'Nodes']);
});

await plain.end();
