// Tests a client of this API over HTTP against the real service: build/svcd with --test-control, in memory.
//
//     node --test examples/node/test_over_http.mjs
//
// No packages. Every test begins with the same store and the same clock, and nothing sleeps.
import { after, before, beforeEach, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const folder = mkdtempSync(join(tmpdir(), 'svcd-'));
const cluster = {
  name: 'shop', clusterType: 'REPLICASET', replicationSpecs: [{ regionConfigs: [{
    providerName: 'AWS', regionName: 'US_EAST_1', electableSpecs: { instanceSize: 'M10', nodeCount: 3 } }] }],
};
let svcd, first, clusters;

async function send(url, { method = 'GET', body, ...headers } = {}) {
  const answer = await fetch(url, {
    method, headers: { 'Content-Type': 'application/json', ...headers }, body: body && JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, body: text ? JSON.parse(text) : null };
}

const control = (path, options) =>
  send(`${first.baseUrl}/_svc${path}`, { Authorization: `Bearer ${first.testToken}`, ...options });

// The tested client: it gets an access token, and retries requests that fail. Replace it by your client.
let token;
async function login() {
  const basic = Buffer.from(`${first.clientId}:${first.clientSecret}`).toString('base64');
  const answer = await fetch(`${first.baseUrl}/api/oauth/token`, {
    method: 'POST', headers: { Authorization: `Basic ${basic}`, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials' });
  token = (await answer.json()).access_token;
}

async function call(path, options) {
  let answer;
  for (let tries = 0; tries < 5; tries++) {
    if (!token) await login();
    try {
      answer = await send(`${first.baseUrl}/api/svc/v2${path}`, { Authorization: `Bearer ${token}`, ...options });
    } catch {
      continue; // the answer was lost: a retry is safe with the same Idempotency-Key
    }
    if (answer.status === 401) token = null;
    else if (![429, 500, 503].includes(answer.status)) break;
  }
  return answer;
}

before(async () => {
  const file = join(folder, 'bootstrap.json');
  svcd = spawn(process.env.SVCD ?? 'build/svcd', ['--memory', '--test-control', '--clock', '2030-01-01T00:00:00Z',
    '--seed', '1', '--bootstrap', file, '--listen', 'http://127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: svcd.stdout })) if (line.startsWith('svcd ready on')) break;
  first = JSON.parse(readFileSync(file, 'utf8'));
  clusters = `/groups/${first.groupId}/clusters`;
});

after(() => {
  svcd.kill();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  assert.equal((await control('/reset', { method: 'POST' })).status, 204);
  token = null;
});

test('time passes when we say so', async () => {
  assert.equal((await call(clusters, { method: 'POST', body: cluster })).status, 201);
  assert.equal((await call(`${clusters}/shop`)).body.stateName, 'CREATING');
  await control('/clock', { method: 'POST', body: { advanceSeconds: 10 } });
  assert.equal((await call(`${clusters}/shop`)).body.stateName, 'IDLE');
});

for (const fault of [{ status: 503, count: 2 }, { status: 429, count: 1 }, { kind: 'expiredToken', count: 1 },
  { drop: 'before', count: 1 }, { drop: 'after', count: 1 }, { delayMs: 300, count: 1 }]) {
  test(`the client bears ${JSON.stringify(fault)}`, async () => {
    assert.equal((await control('/faults', { method: 'POST', body: { operation: 'createCluster', ...fault } })).status, 201);
    const made = await call(clusters, { method: 'POST', body: cluster, 'Idempotency-Key': 'one-key-for-one-cluster' });
    assert.equal(made.status, 201);
    assert.equal((await call(clusters)).body.totalCount, 1);
  });
}

test('the journal has what was asked, and no secret', async () => {
  await call(clusters);
  const journal = (await control('/journal?limit=10')).body;
  assert.equal(journal.at(-1).operation, 'listClusters');
  for (const secret of [first.clientSecret, token]) assert.ok(!JSON.stringify(journal).includes(secret));
});

test('a wrong token changes nothing', async () => {
  const wrong = { method: 'POST', body: { advanceSeconds: 60 }, Authorization: 'Bearer wrong' };
  assert.equal((await control('/clock', wrong)).status, 401);
  assert.equal((await control('/clock')).body.now, '2030-01-01T00:00:00Z');
});
