// The demo in headless Chromium: node test/packages/demo/run.mjs, after package/demo/build.sh. Pictures are left in build/demo-shots.
//
// The rule that every test keeps: the page asks for the demo's own files and for nothing else. No request goes below api/ or to openapi.json, none to another
// origin, and the console is quiet, so the policy has refused nothing.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from '../../web/browser.mjs';
import { nameless, pale, stored, wide } from '../../web/inspect.mjs';
import { serve } from './files.mjs';

const FOLDER = 'build/demo', SHOTS = 'build/demo-shots', BELOW = '/pages/of/svcapi/';
let failed = 0;

mkdirSync(SHOTS, { recursive: true });
const files = await serve(FOLDER, BELOW), home = files.origin + BELOW, profile = mkdtempSync(join(tmpdir(), 'svcapi-demo-'));
const browser = await launch({ program: process.env.CHROMIUM ?? 'chromium', folder: profile });

const related = async (page, text) => { await page.click('[role=tab]', 'Related'); await page.click('.links a', text); };
const heading = (page, text) => page.until((t) => document.querySelector('#view h1')?.textContent.trim() === t, `the heading ${text}`, text);
const shown = (page, text) => page.until((t) => document.querySelector('#view').innerText.includes(t), `"${text}" in the page`, text);
const logged = (page, pattern) => page.until((p) => new RegExp(p).test(document.querySelector('#log').innerText), `a call like ${pattern}`, pattern);
const now = (page) => page.run(() => Date.parse(document.getElementById('demo-now').textContent.replace(' UTC', 'Z').replace(' ', 'T')));
const choose = (page, id, value) => page.run((i, v) => { const e = document.getElementById(i); e.value = v; e.dispatchEvent(new Event('change')); }, id, value);
const ready = (page) => page.until(() => !document.getElementById('view').hidden && document.querySelector('#view h1'), 'the explorer to be signed in');

async function test(name, query, f, options) {
  const page = await browser.page(options), before = files.asked.length;
  try {
    await page.goto(home + query);
    await f(page);
    assert.deepEqual(page.said, [], 'the console is quiet');
    assert.deepEqual(files.asked.slice(before).filter((line) => !existsSync(join(FOLDER, line.slice(`GET ${BELOW}`.length) || 'index.html'))), [], 'requests for what is no file of the demo');
    assert.deepEqual([...page.requests.values()].map((r) => r.url).filter((url) => !url.startsWith(home)), [], 'requests to other places');
    assert.deepEqual(await stored(page), [], 'nothing is stored in the browser');
    console.log(`  ok: ${name}`);
  } catch (error) {
    failed++;
    console.error(`  FAILED: ${name}: ${error.stack}`);
    await page.shot(`${SHOTS}/failed-${failed}.png`).catch(() => {});
  }
  await page.close();
}

await test('the organization, its projects and a cluster; a new project', '', async (page) => {
  await ready(page);
  await heading(page, 'Administration API');
  await page.shot(`${SHOTS}/start.png`);
  await page.click('.links a', 'orgs');
  await shown(page, 'Acme');
  await page.click('.crumbs a', 'Home');
  await page.click('.links a', 'groups');
  await heading(page, 'Projects');
  await shown(page, 'production');
  await shown(page, 'staging');
  await page.shot(`${SHOTS}/projects.png`);
  await page.click('#view a', 'production');
  await heading(page, 'production');
  await related(page, 'clusters');
  await heading(page, 'Clusters');
  await page.click('#view a', 'analytics');
  await heading(page, 'analytics');
  await shown(page, 'IDLE');
  await page.shot(`${SHOTS}/cluster.png`);
  await page.run(() => { location.hash = '#/groups'; });
  await page.click('.actions a', 'Create project');
  await page.fill('Name', 'payments');
  await page.click('button.primary', 'Create project');
  await heading(page, 'payments');
  await logged(page, '201\\s+POST');
  await page.shot(`${SHOTS}/new-project.png`);
});

await test('a cluster becomes IDLE by the clock, which stands until a button moves it', '?clock=stands#/groups', async (page) => {
  await ready(page);
  await page.click('#view a', 'staging');
  await related(page, 'clusters');
  await page.click('.actions a', 'Create cluster');
  await page.click('button', 'Fill in an example');
  await page.fill('Name', 'orders');
  await page.click('.more > summary');
  await page.click('.picks label', 'REPLICASET');
  await page.click('button.primary', 'Create cluster');
  await heading(page, 'orders');
  await shown(page, 'CREATING');
  const began = await now(page);
  await page.shot(`${SHOTS}/creating.png`);
  await new Promise((done) => setTimeout(done, 1200));
  assert.equal(await now(page), began, 'the clock stands');
  await page.click('[data-advance="1m"]');
  await page.until((t) => Date.parse(document.getElementById('demo-now').textContent.replace(' UTC', 'Z').replace(' ', 'T')) === t, 'a minute more', began + 60_000);
  await shown(page, 'IDLE');
  await page.shot(`${SHOTS}/idle.png`);
  // A day makes the token expire: the demo signs in again, and the explorer goes on where it was.
  await page.click('[data-advance="1d"]');
  await logged(page, '401\\s+GET');
  await page.until(() => document.getElementById('signin').hidden && !document.getElementById('view').hidden, 'to be signed in again');
  await heading(page, 'orders');
  assert.equal(await now(page), began + 60_000 + 86_400_000);
  await choose(page, 'demo-rate', '3600');
  await page.until((t) => Date.parse(document.getElementById('demo-now').textContent.replace(' UTC', 'Z').replace(' ', 'T')) > t, 'the clock to run', began + 60_000 + 86_400_000 + 600_000);
});

await test('faults: 503, a lost answer, and none', '#/groups', async (page) => {
  await ready(page);
  await shown(page, 'production');
  await page.click('#demo-add');
  await page.until(() => document.getElementById('demo-clear').textContent === 'Remove 1 fault', 'the fault to wait');
  await page.click('.actions button', 'Refresh');
  await logged(page, '503\\s+GET');
  await page.until(() => document.querySelector('#view .problem[data-status="503"], #view .problem'), 'the refusal');
  await page.shot(`${SHOTS}/fault.png`);
  await page.until(() => document.getElementById('demo-clear').disabled, 'the fault to have struck');
  await choose(page, 'demo-fault', 'lost');
  await page.click('#demo-add');
  await page.click('.actions button', 'Refresh');
  await logged(page, 'lost\\s+GET');
  await page.until(() => !document.querySelector('#banner .banner'), 'the connection to be back');
  await choose(page, 'demo-fault', '429');
  await page.click('#demo-add');
  await page.click('#demo-add');
  await page.click('#demo-clear', 'Remove 2 faults');
  await page.click('.actions button', 'Refresh');
  await page.until(() => document.querySelector('#view .list') && !document.querySelector('#view .problem'), 'the list');
  assert.doesNotMatch(await page.run(() => document.querySelector('#log').innerText), /429/);
});

await test('sign out, and in again by a click', '', async (page) => {
  await ready(page);
  await page.click('#out');
  await page.until(() => !document.getElementById('signin').hidden && document.getElementById('secret').value, 'the credentials to be filled in');
  await page.click('#signin-go');
  await page.until(() => document.getElementById('signin').hidden, 'to be signed in');
});

await test('the world company, with its history', '?world=company#/groups', async (page) => {
  await ready(page);
  await shown(page, 'analytics');
  assert.equal(new Date(await now(page)).getUTCFullYear(), 2030);
  await page.run(() => { location.hash = '#/orgs'; });
  await page.click('#view a', 'Globex');
  await related(page, 'invoices');
  await page.until(() => document.querySelectorAll('#view .list tbody tr').length >= 12, 'a year of invoices');
  await page.shot(`${SHOTS}/company.png`);
});

await test('another world by the banner, and afresh', '?clock=stands', async (page) => {
  await ready(page);
  await page.run(() => { globalThis.before = true; });
  await choose(page, 'demo-world', 'empty');
  await page.until(() => !globalThis.before && document.getElementById('demo-world')?.value === 'empty', 'the other world');
  await ready(page);
  // the explorer adds which organization and project are chosen, and leaves the rest of the address alone
  assert.equal(await page.run(() => { const q = new URLSearchParams(location.search); return `${q.get('clock')} ${q.get('world')} ${document.getElementById('demo-rate').value}`; }), 'stands empty 0');
  await page.run(() => { location.hash = '#/groups'; });
  await shown(page, 'shop');
});

await test('a world that there is not', '?world=nowhere', async (page) => {
  await page.until(() => /cannot start: \?world=nowhere must be one of empty, team, company/.test(document.getElementById('demo-state').textContent), 'the reason');
  assert.equal(await page.run(() => document.getElementById('signin').checkVisibility() || document.getElementById('demo-controls').checkVisibility()), false);
});

for (const [name, options] of [['light', {}], ['dark', { scheme: 'dark' }], ['phone', { width: 360, height: 740, mobile: true }]])
  await test(`names, contrast and width: ${name}`, '', async (page) => {
    await ready(page);
    assert.deepEqual([await nameless(page), await pale(page), await wide(page)], [[], [], []]);
    await page.shot(`${SHOTS}/${name}.png`);
  }, options);

await browser.close();
files.close();
rmSync(profile, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
