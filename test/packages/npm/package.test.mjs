// Tests every function of the package, as index.d.ts declares it.
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { Answer, BASE_URL, open, SvcapiError } from 'svcapi';
import { start } from 'svcapi/server';

const CLOCK = '2030-01-01T00:00:00Z';
const cluster = (name) => ({ name, clusterType: 'REPLICASET', replicationSpecs: [{ regionConfigs: [{ providerName: 'AWS', regionName: 'US_EAST_1', priority: 7,
  electableSpecs: { instanceSize: 'M10', nodeCount: 3 } }] }] });
const clusters = (svc) => `/api/svc/v2/groups/${svc.credentials.groupId}/clusters`;
const bearer = (svc) => ({ Authorization: `Bearer ${svc.token()}` });

test('the same seed and clock give the same answers', async () => {
  const texts = [];
  for (let i = 0; i < 2; i++) {
    const svc = await open({ clock: CLOCK, seed: 7 });
    svc.request('POST', clusters(svc), cluster('a'));
    svc.clock.advance(3600);
    texts.push(svc.request('GET', clusters(svc)).text);
    svc.close();
  }
  assert.equal(texts[0], texts[1]);
  const other = await open({ clock: CLOCK, seed: 8 });
  assert.notEqual(other.request('GET', '/api/svc/v2/orgs').text, texts[0]);
  other.close();
});

test('two services do not know of each other', async () => {
  const [a, b] = [await open({ clock: CLOCK, seed: 1 }), await open({ clock: CLOCK, seed: 1 })];
  assert.equal(a.request('POST', clusters(a), cluster('a')).status, 201);
  assert.equal(b.request('GET', `${clusters(b)}/a`).status, 404);
  a.close();
  assert.equal(b.request('GET', '/api/svc/v2/orgs').status, 200);
  assert.throws(() => a.request('GET', '/api/svc/v2/orgs'), /the service is closed/);
  b.close();
  b.close();
});

test('the clock stands, moves, jumps and runs', async () => {
  const svc = await open({ clock: CLOCK, seed: 1 });
  assert.equal(svc.clock.now().toISOString(), '2030-01-01T00:00:00.000Z');
  assert.equal(svc.clock.advance('15m').toISOString(), '2030-01-01T00:15:00.000Z');
  assert.equal(svc.clock.set('2030-01-02T00:00:00Z').toISOString(), '2030-01-02T00:00:00.000Z');
  assert.equal(svc.now(), Date.parse('2030-01-02T00:00:00Z'));
  assert.throws(() => svc.clock.set('2029-01-01T00:00:00Z'), SvcapiError);
  assert.throws(() => svc.clock.advance('soon'), TypeError);
  svc.request('POST', clusters(svc), cluster('a'));
  const before = svc.now();
  svc.clock.next();
  assert.ok(svc.now() > before);
  svc.clock.advance('1h');
  assert.equal(svc.request('GET', `${clusters(svc)}/a`).json.stateName, 'IDLE');
  svc.close();
  const running = await open({ clock: CLOCK, rate: 1000, seed: 1 });
  const from = running.now();
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.ok(running.now() - from >= 20000);
  running.clock.rate(0);
  const stands = running.now();
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(running.now(), stands);
  running.close();
});

test('fetch() is the global fetch(), answered here', async () => {
  const svc = await open({ clock: CLOCK, seed: 1 });
  const { fetch } = svc;
  const made = await fetch(svc.url + clusters(svc), { method: 'POST', headers: { ...bearer(svc), 'Content-Type': 'application/json' }, body: JSON.stringify(cluster('a')) });
  assert.equal(made.status, 201);
  assert.equal(made.url, svc.url + clusters(svc));
  assert.match(made.headers.get('content-type'), /json/);
  assert.equal((await made.json()).name, 'a');
  assert.equal((await fetch(new Request(`${svc.url}/api/svc/v2/orgs`, { headers: bearer(svc) }))).status, 200);
  assert.equal((await fetch(new URL('/api/svc/v2/orgs', svc.url), { headers: bearer(svc) })).status, 200);
  assert.equal((await fetch('/api/svc/v2/orgs')).status, 401);
  const gone = await fetch(`${svc.url + clusters(svc)}/a`, { method: 'DELETE', headers: bearer(svc) });
  assert.ok([202, 204].includes(gone.status));
  await assert.rejects(fetch('http://example.test/'), /is not this service/);
  await assert.rejects(fetch('/api/svc/v2/orgs', { signal: AbortSignal.abort() }), { name: 'AbortError' });
  const body = new Blob([JSON.stringify({ name: 'p', orgId: svc.credentials.orgId })], { type: 'application/json' });
  assert.equal((await fetch('/api/svc/v2/groups', { method: 'POST', headers: bearer(svc), body })).status, 201);
  svc.close();
});

test('Digest is asked for, and a stranger gets 401', async () => {
  const svc = await open({ clock: CLOCK, seed: 1 });
  const answer = await svc.fetch('/api/svc/v2/orgs');
  assert.equal(answer.status, 401);
  assert.match(answer.headers.get('www-authenticate'), /Digest/);
  svc.close();
});

test('faults: errors, lost and late answers, a limit', async () => {
  const svc = await open({ clock: CLOCK, seed: 1 });
  const get = (init) => svc.fetch('/api/svc/v2/groups', { headers: bearer(svc), ...init });
  svc.token();
  const rule = svc.faults.add({ operation: 'listGroups', status: 429, count: 1 });
  assert.equal(svc.faults.list().length, 1);
  const limited = await get();
  assert.equal(limited.status, 429);
  assert.ok(Number(limited.headers.get('retry-after')) >= 0);
  assert.equal((await get()).status, 200);
  assert.throws(() => svc.faults.remove(rule.id), { status: 404 });
  svc.faults.add({ operation: 'listGroups', drop: 'after', count: 1 });
  await assert.rejects(get(), (error) => error instanceof TypeError && error.cause.code === 'ECONNRESET');
  svc.faults.add({ operation: 'listGroups', delayMs: 60 });
  const from = performance.now();
  assert.equal((await get()).status, 200);
  assert.ok(performance.now() - from >= 50);
  await assert.rejects(get({ signal: AbortSignal.timeout(10) }), { name: 'TimeoutError' });
  svc.faults.clear();
  assert.deepEqual(svc.faults.list(), []);
  assert.throws(() => svc.faults.add({ operation: 'nothing', status: 500 }), SvcapiError);
  svc.close();
});

test('snapshots, also as bytes, and reset', async () => {
  const svc = await open({ clock: CLOCK, seed: 1 });
  const names = () => svc.request('GET', '/api/svc/v2/groups').json.results.map((one) => one.name);
  const make = (name) => assert.equal(svc.request('POST', '/api/svc/v2/groups', { name, orgId: svc.credentials.orgId }).status, 201);
  const [first] = names();
  make('one');
  const snapshot = svc.snapshot();
  make('two');
  svc.clock.advance('1d');
  snapshot.restore();
  assert.deepEqual(names().sort(), [first, 'one'].sort());
  assert.equal(svc.clock.now().toISOString(), '2030-01-01T00:00:00.000Z');
  const bytes = snapshot.bytes();
  snapshot.free();
  assert.throws(() => snapshot.restore(), { status: 404 });
  svc.reset();
  assert.deepEqual(names(), [first]);
  svc.load(bytes).restore();
  assert.deepEqual(names().sort(), [first, 'one'].sort());
  assert.throws(() => svc.load(bytes.slice(0, 100)), SvcapiError);
  svc.close();
});

test('worlds: by name, as an object, with an error that says where', async () => {
  for (const world of ['empty', 'team', 'company']) {
    const svc = await open({ seed: 1, clock: '2028-11-01T00:00:00Z', world });
    assert.ok(svc.request('GET', '/api/svc/v2/orgs').json.totalCount >= 1, world);
    svc.close();
  }
  await assert.rejects(open({ world: 'nowhere' }), /there is no world nowhere/);
  await assert.rejects(open({ world: { world: 1, orgs: [{ name: 'A', groups: [{ nme: 'x' }] }] } }), SvcapiError);
});

test('the journal, and as HAR', async () => {
  const svc = await open({ clock: CLOCK, seed: 1 });
  svc.request('GET', '/api/svc/v2/orgs');
  assert.equal(svc.journal().at(-1).operation, 'listOrgs');
  assert.equal(svc.journal({ har: true }).log.version, '1.2');
  assert.ok(!JSON.stringify(svc.journal()).includes(svc.token()));
  svc.clearJournal();
  assert.deepEqual(svc.journal(), []);
  svc.close();
});

test('install() and its undoing', async () => {
  const svc = await open({ seed: 1 });
  const before = globalThis.fetch;
  const undo = svc.install();
  assert.equal((await fetch(`${BASE_URL}/api/svc/v2/orgs`, { headers: bearer(svc) })).status, 200);
  undo();
  assert.equal(globalThis.fetch, before);
  svc.close();
});

test('call() returns an Answer; bad options and requests are refused', async () => {
  const svc = await open({ clock: CLOCK, seed: 1, journal: 0, config: { limiter_off: true } });
  const answer = svc.call('GET', '/api/svc/v2/orgs', `Authorization: Bearer ${svc.token()}\n`);
  assert.ok(answer instanceof Answer);
  assert.equal(answer.operation, 'listOrgs');
  assert.equal(answer.headers.get('CONTENT-type').includes('json'), true);
  assert.throws(() => svc.call('GET', '/a\0b'), TypeError);
  assert.throws(() => svc.call('GET', '/', 'no header'), SvcapiError);
  for (const [name, value] of [['X-A', 'b\r\nX-C: d'], ['X-A', 'b\nX-C: d'], ['X-A', 'b\r'], ['X-A: b\nX-C', 'd']])
    assert.throws(() => svc.request('GET', '/api/svc/v2/orgs', undefined, { [name]: value }), /has a line break in it/);
  await assert.rejects(open({ clok: CLOCK }), /no option clok/);
  await assert.rejects(open({ config: { vendr: 'x' } }), /vendr/);
  assert.match(svc.version, /^\d+\.\d+\.\d+$/);
  svc.close();
});

test('bytes and the module itself are taken as well', async () => {
  const bytes = readFileSync(new URL(import.meta.resolve('svcapi/svcapi.wasm')));
  for (const wasm of [bytes, await WebAssembly.compile(bytes)]) (await open({ wasm })).close();
});

test('svcd as a child process', async () => {
  const svcd = await start({ clock: CLOCK, seed: 1 });
  try {
    const get = async (path) => fetch(svcd.url + path, { headers: { Authorization: `Bearer ${await svcd.token()}` } });
    assert.equal((await get('/api/svc/v2/orgs')).status, 200);
    assert.equal((await svcd.clock.advance(60)).toISOString(), '2030-01-01T00:01:00.000Z');
    await svcd.faults.add({ operation: 'listOrgs', status: 503, count: 1 });
    assert.equal((await get('/api/svc/v2/orgs')).status, 503);
    assert.equal((await svcd.journal()).at(-1).status, 503);
    await svcd.reset();
    assert.equal((await svcd.clock.now()).toISOString(), '2030-01-01T00:00:00.000Z');
  } finally {
    await svcd.stop();
  }
  await assert.rejects(start({ flags: ['--no-such-flag'] }), /did not start/);
});
