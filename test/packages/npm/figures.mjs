// Measures what a request from JavaScript costs. The bounds are far above what a machine at rest needs: they catch a mistake, not noise.
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { open } from 'svcapi';

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const rounds = (n, each, work) => median(Array.from({ length: n }, () => {
  const from = performance.now();
  for (let i = 0; i < each; i++) work(i);
  return (performance.now() - from) / each * 1000;
}));

const from = performance.now();
const svc = await open({ clock: '2030-01-01T00:00:00Z', seed: 1, journal: 0, config: { limiter_off: true, max_projects: 100000 } });
const ready = performance.now() - from;
const headers = `Authorization: Bearer ${svc.token()}\nAccept: application/json\nContent-Type: application/json\n`;
const must = (answer, status) => { if (answer.status !== status) throw new Error(`${answer.status}: ${answer.text}`); };
const path = `/api/svc/v2/groups/${svc.credentials.groupId}`;
const get = rounds(12, 2000, () => must(svc.call('GET', path, headers), 200));
let n = 0;
const create = rounds(8, 400, () => must(svc.call('POST', '/api/svc/v2/groups', headers, JSON.stringify({ name: `p${n++}`, orgId: svc.credentials.orgId })), 201));
const snapshot = rounds(8, 50, () => svc.snapshot().free());
const bytes = readFileSync(new URL(import.meta.resolve('svcapi/svcapi.wasm')));
const small = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } });
console.log(`  figures: module ${bytes.length} bytes, ${small.length} with brotli; ready in ${ready.toFixed(0)} ms; GET of a project ${get.toFixed(1)} µs, ` +
  `create ${create.toFixed(0)} µs, snapshot ${snapshot.toFixed(0)} µs with ${n} projects`);
for (const [what, value, most] of [['ready, ms', ready, 500], ['GET, µs', get, 100], ['create, µs', create, 800], ['bytes', bytes.length, 1_200_000], ['bytes with brotli', small.length, 450_000]])
  if (value > most) { console.log(`  FAILED: ${what}: ${value.toFixed(0)}, and ${most} at the most`); process.exitCode = 1; }
svc.close();
