// The module's answers are the native library's, byte for byte, headers included: a request of every operation of the document, by the world of
// test/api, is made here, and then of the native library on LMDB with the same clock and seed.
//
//     node same.mjs ROOT      in the folder of test/packages/npm.sh
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = process.argv[2];
mkdirSync('scenario', { recursive: true });
for (const file of ['world.mjs', 'tables.mjs']) cpSync(join(root, 'test/api', file), join('scenario', file));
cpSync(join(root, 'test/packages/npm/scenario/service.mjs'), 'scenario/service.mjs');
const { BASE, config, log, service } = await import(new URL('./scenario/service.mjs', `file://${process.cwd()}/`));
const { isElsewhere, World } = await import(new URL('./scenario/world.mjs', `file://${process.cwd()}/`));

const document = JSON.parse(execFileSync(join(root, 'build/svcd'), ['openapi'], { maxBuffer: 1 << 28 }));
document.servers[0].url = `${BASE}/api/svc/v2`;
const world = new World(service.credentials, document);
await world.open();
let called = 0, succeeded = 0;
const failed = [];
for (const op of world.operations) {
  if (op.apart) continue;
  try {
    await world.begin();
    const { path, body } = await world.ready(op);
    const answer = await world.call(op.method, path, body);
    called++;
    if (answer.status < 300) succeeded++;
    else if (!isElsewhere(op)) failed.push(`${op.id}: ${answer.status} ${answer.bytes}`);
  } catch (error) {
    failed.push(`${op.id}: ${error.message}`);
  }
}
if (failed.length) { console.log(failed.join('\n').slice(0, 4000)); process.exit(1); }

const requests = Buffer.concat(log.flatMap(({ kind, method, target, headers, body }) => {
  const parts = [method, target, headers].map((text) => Buffer.from(text));
  return [Buffer.from(`${kind} ${parts.map((part) => part.length).join(' ')} ${body.length}\n`), ...parts, body];
}));
writeFileSync('requests', requests);
execFileSync(process.env.CC ?? 'cc', ['-std=c11', '-O1', '-Wall', '-I', root, '-o', 'native', join(root, 'test/packages/npm/native.c'), '-L', join(root, 'build'), '-lsvcapi',
  `-Wl,-rpath,${join(root, 'build')}`]);
const native = spawnSync('./native', [JSON.stringify({ ...config, journal: 0 })], { input: requests, maxBuffer: 1 << 30 });
if (native.status !== 0) { console.log(`the native library: ${native.stderr}`); process.exit(1); }

// The answers of the native library, one after the other.
let at = 0;
function next() {
  const line = native.stdout.indexOf(10, at);
  const [status, headers, body] = native.stdout.subarray(at, line).toString().split(' ').map(Number);
  const from = line + 1;
  at = from + headers + body;
  return { status, headers: native.stdout.subarray(from, from + headers).toString(), body: native.stdout.subarray(from + headers, at) };
}
if (JSON.stringify(service.credentials) !== JSON.stringify(JSON.parse(next().body))) { console.log('other credentials'); process.exit(1); }
let differ = 0;
for (const [i, { method, target, answer }] of log.entries()) {
  const theirs = next();
  const same = theirs.status === answer.status && theirs.body.equals(Buffer.from(answer.bytes)) &&
    JSON.stringify([...new Headers(theirs.headers.split('\n').filter(Boolean).map((l) => [l.slice(0, l.indexOf(':')), l.slice(l.indexOf(':') + 2)]))]) === JSON.stringify([...answer.headers]);
  if (!same && ++differ <= 5)
    console.log(`answer ${i} differs: ${method} ${target}: ${theirs.status} ${theirs.headers}${theirs.body.toString().slice(0, 600)}\nand here ${answer.status}\n` +
      `${[...answer.headers].map((h) => h.join(': ')).join('\n')}\n${answer.text.slice(0, 600)}`);
}
if (at !== native.stdout.length) { console.log('the native library has answered more'); differ++; }
if (differ) { console.log(`${differ} of ${log.length} answers differ`); process.exit(1); }
console.log(`${log.length} answers of ${called} operations (${succeeded} with success) are the native library's, byte for byte`);
