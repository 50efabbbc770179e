// Shared by the tests of the page: the services, the browser, common steps, and test(), which runs one test.
import { createHash, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { launch } from './browser.mjs';
import { service } from './service.mjs';

const only = process.argv[2] ?? '', program = process.env.CHROMIUM ?? 'chromium';
export const MARKUP = '<img src=x onerror="pwned=1">';
let passed = 0, failed = 0;
export const pages = [];

rmSync('build/web', { recursive: true, force: true });
mkdirSync('build/web', { recursive: true });
export const plain = await service('plain');
export const tight = await service('tight', ['--limit', 'clusters_group=6/6/3']);
export const named = await service('named', ['--vendor', 'acme', '--base-url', 'https://api.example.com/db']);
export const company = await service('company', ['--world', 'company']);
export const costly = await service('costly', ['--world', 'company']); // a test moves its clock
export const spoken = await service('spoken', ['--dialect', 'examples/dialects/atlas.json']);
export const ACME = { vendor: 'acme', fields: { instanceSize: 'tier', replicationSpecs: 'shards', tags: 'marks' }, paths: { clusters: 'machines', rateLimits: 'quotas' },
  values: { REPLICASET: 'SET', AWS: 'AMAZON' }, codes: { CLUSTER_NOT_FOUND: 'NO_SUCH_MACHINE' } };
writeFileSync('build/web/acme.json', JSON.stringify(ACME));
export const acme = await service('acme', ['--dialect', 'build/web/acme.json']);
export const safe = await service('safe', ['--data', 'build/web/safe/data', '--listen', 'https://127.0.0.1:0']);
const pin = createHash('sha256').update(new X509Certificate(readFileSync('build/web/safe/data/tls.crt')).publicKey.export({ type: 'spki', format: 'der' })).digest('base64');
export const browser = await launch({ program, folder: 'build/web/profile', args: ['--ignore-certificate-errors-spki-list=' + pin] });
console.log('web: ' + browser.version);

// ---- common steps

export async function newPage(options) {
  const page = await browser.page(options);
  pages.push(page);
  return page;
}
export async function signIn(page, s, id = s.clientId, secret = s.clientSecret) {
  await page.fill('Client id', id);
  await page.fill('Client secret', secret);
  await page.click('#signin-go');
}
export const heading = (page, text) => page.until((t) => document.querySelector('#view:not([hidden]) h1')?.textContent === t, 'the heading ' + text, text);
export const state = (page, text) => page.until((t) => document.querySelector('.state')?.textContent === t, 'the state ' + text, text);
export const problem = (page, status) => page.until((s) => [...document.querySelectorAll('.problem')].find((e) => e.dataset.status === s && e.checkVisibility())?.innerText, 'a refusal of ' + status, String(status));
export const tab = (page, name) => page.click('[role=tab]', name);
export const related = async (page, text) => { await tab(page, 'Related'); await page.click('.links a', text); };
export const goto = (page, path) => page.run((p) => { location.hash = p; }, path);
export const lastPatch = async (s) => (await s.control('journal?limit=50')).filter((r) => r.method === 'PATCH').pop().request.body;
export async function home(options, s = plain) {
  const page = await newPage(options);
  if (s === company) await s.advance(61); // ten tokens per minute, and its clock is stopped
  await page.goto(s.url + '/');
  await signIn(page, s);
  await heading(page, 'Administration API');
  return page;
}

// Console messages that are allowed: failed requests that the tests cause.
const expected = (text) => /^network: Failed to load resource/.test(text) && (/ERR_INTERNET_DISCONNECTED/.test(text) || !/_explorer/.test(text));

export async function test(name, f) {
  if (only && !name.includes(only)) return;
  const began = Date.now();
  try {
    await f();
    for (const page of pages) assert.deepEqual(page.said.filter((t) => !expected(t)), [], 'the console is quiet');
    passed++;
    console.log('web: ' + name + ': ok (' + (Date.now() - began) + ' ms)');
  } catch (e) {
    failed++;
    console.log('web: ' + name + ': FAILED: ' + (e.stack ?? e));
    if (pages.at(-1)) await pages.at(-1).shot('build/web/failed-' + failed + '.png').catch(() => {});
  }
  for (const page of pages.splice(0)) await page.close().catch(() => {});
}

// Ends everything that was started, and prints the results. Returns the exit status.
export async function end() {
  await browser.close();
  for (const s of [plain, tight, named, company, costly, spoken, acme, safe]) await s.end();
  rmSync('build/web/profile', { recursive: true, force: true });
  console.log('web: pictures: ' + readdirSync('build/web').filter((f) => f.endsWith('.png') && statSync('build/web/' + f).size).map((f) => 'build/web/' + f).join(' '));
  console.log(passed + ' passed, ' + failed + ' failed');
  return failed || !passed ? 1 : 0;
}
