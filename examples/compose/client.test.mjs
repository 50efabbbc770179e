// A test that runs next to svcd (compose.yaml): signs in, creates a cluster, and moves the clock until the cluster is ready.
import { test, beforeEach } from 'node:test'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const base = process.env.SVC_BASE_URL
const control = (method, path, body) => fetch(base + path, {
  method, body: body && JSON.stringify(body),
  headers: { authorization: `Bearer ${process.env.SVC_TEST_TOKEN}`, 'content-type': 'application/json' },
})

async function signIn() {
  const c = JSON.parse(readFileSync(process.env.SVC_CREDENTIALS, 'utf8'))
  const answer = await fetch(base + '/api/oauth/token', {
    method: 'POST', body: 'grant_type=client_credentials',
    headers: { authorization: 'Basic ' + btoa(`${c.clientId}:${c.clientSecret}`), 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.equal(answer.status, 200)
  const { access_token: token } = await answer.json()
  return { group: c.groupId, call: (method, path, body) => fetch(`${base}/api/svc/v2${path}`, {
    method, body: body && JSON.stringify(body), headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  }) }
}

beforeEach(async () => assert.equal((await control('POST', '/_svc/reset')).status, 204))

test('a cluster becomes IDLE when its step is due', async () => {
  const { group, call } = await signIn()
  const made = await call('POST', `/groups/${group}/clusters`, { name: 'shop', clusterType: 'REPLICASET', replicationSpecs: [{ regionConfigs: [{
    providerName: 'AWS', regionName: 'US_EAST_1', priority: 7, electableSpecs: { instanceSize: 'M10', nodeCount: 3 } }] }] })
  assert.equal(made.status, 201)
  const moved = await (await control('POST', '/_svc/clock', { toNextDue: true })).json()
  assert.ok(moved.moved && moved.steps >= 1)
  assert.equal((await (await call('GET', `/groups/${group}/clusters/shop`)).json()).stateName, 'IDLE')
})
