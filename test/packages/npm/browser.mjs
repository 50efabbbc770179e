// The package in a browser: node browser.mjs, in a folder with svcapi in node_modules. A server on loopback has the package's own files and one page, under
// the content security policy that docs/javascript.md recommends; Chromium (CHROMIUM, or chromium on the PATH) opens the page, and the page's script uses the
// module. The browser is driven over its pipe by test/web/browser.mjs, without npm packages.
//
// The rule: the page may ask the server for files alone. A request below /api/ has left the module, and fails the test.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { launch } from '../../../test/web/browser.mjs';

const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'", WITHOUT = "default-src 'self'; script-src 'self'";
const TYPES = { '.js': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm', '.html': 'text/html; charset=utf-8' };
const PAGE = '<!doctype html><html lang="en"><title>svcapi</title><link rel="icon" href="/icon.svg"><script type="module" src="/page.js"></script></html>';

// The page's script. What it finds is left in globalThis.found for the test to read.
const SCRIPT = `
import { BASE_URL, open, SvcapiError } from '/svcapi/index.js';
try {
  const svc = await open({ clock: '2030-01-01T00:00:00Z', seed: 1, world: 'team' });
  const headers = { Authorization: 'Bearer ' + svc.token(), 'Content-Type': 'application/json' };
  const clusters = BASE_URL + '/api/svc/v2/groups/' + svc.credentials.groupId + '/clusters';
  const body = JSON.stringify({ name: 'cart', clusterType: 'REPLICASET', replicationSpecs: [{ regionConfigs: [{ providerName: 'AWS', regionName: 'US_EAST_1',
    priority: 7, electableSpecs: { instanceSize: 'M10', nodeCount: 3 } }] }] });
  const made = await svc.fetch(clusters, { method: 'POST', headers, body });
  const undo = svc.install();
  const state = async () => (await (await fetch(clusters + '/cart', { headers })).json()).stateName;
  const states = [await state()];
  svc.clock.advance('30m');
  states.push(await state());
  const own = (await fetch('/svcapi/package.json')).status; // goes on to the server: it is not a URL of the service
  undo();
  svc.faults.add({ operation: 'listClusters', drop: 'before', count: 1 });
  const lost = await svc.fetch(clusters, { headers }).then(() => 'an answer', (error) => error.name);
  const refused = (() => { try { svc.control('POST', 'clock', { advanceSeconds: 'x' }); } catch (error) { return error instanceof SvcapiError && error.status; } })();
  const last = svc.journal().at(-1);
  svc.close();
  globalThis.found = { made: made.status, states, own, lost, refused, last: last.operation };
} catch (error) {
  globalThis.found = { error: error.name + ': ' + error.message };
}
`;

const asked = [];
const server = createServer((request, response) => {
  const path = new URL(request.url, 'http://x').pathname;
  asked.push(path);
  const send = (status, type, body) => response.writeHead(status, { 'Content-Type': type, 'Content-Security-Policy': path === '/without' ? WITHOUT : POLICY }).end(body);
  if (path === '/' || path === '/without') return send(200, TYPES['.html'], PAGE);
  if (path === '/icon.svg') return send(200, 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  if (path === '/page.js') return send(200, TYPES['.js'], SCRIPT);
  if (!path.startsWith('/svcapi/') || normalize(path) !== path) return send(404, 'text/plain', 'there is no such file');
  try {
    return send(200, TYPES[extname(path)] ?? 'application/octet-stream', readFileSync(join('node_modules', path)));
  } catch {
    return send(404, 'text/plain', 'there is no such file');
  }
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const url = `http://127.0.0.1:${server.address().port}`, folder = mkdtempSync(join(tmpdir(), 'svcapi-browser-'));
let browser;
try {
  browser = await launch({ program: process.env.CHROMIUM ?? 'chromium', folder });
  const visit = async (path) => {
    const page = await browser.page();
    await page.goto(url + path);
    const found = await page.until(() => globalThis.found, `the script of ${path}`);
    return { found, page };
  };

  const { found, page } = await visit('/');
  assert.equal(found.error, undefined);
  assert.deepEqual(found, { made: 201, states: ['CREATING', 'IDLE'], own: 200, lost: 'TypeError', refused: 400, last: 'listClusters' });
  assert.deepEqual(page.said, [], 'the console, exceptions, and what the policy refused');
  assert.deepEqual([...page.requests.values()].filter((r) => !r.url.startsWith(`${url}/`)).map((r) => r.url), [], 'requests to other places');
  await page.close();

  // The policy is in force: without 'wasm-unsafe-eval' the same page cannot compile the module.
  const refused = await visit('/without');
  assert.match(refused.found.error, /^CompileError/);
  await refused.page.close();
  assert.deepEqual(asked.filter((path) => path.startsWith('/api')), [], 'requests that left the module');
  console.log(`ok ${browser.version}`);
} finally {
  await browser?.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
