// Runs svcd in a container for this test, by Testcontainers for Node: npm install --save-dev testcontainers; node --test svcd.test.mjs
// package/Dockerfile builds the image; SVCD_IMAGE names another one.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { GenericContainer, Wait } from 'testcontainers'

const token = randomBytes(16).toString('hex')
let container, base, credentials

before(async () => {
  container = await new GenericContainer(process.env.SVCD_IMAGE ?? 'svcd')
    .withExposedPorts(8080)
    .withEnvironment({ SVCD_TEST_CONTROL_ANYWHERE: 'true', SVCD_TEST_CONTROL_TOKEN: token, SVCD_CLOCK_RATE: '60' })
    .withWaitStrategy(Wait.forHttp('/_svc/health', 8080))
    .start()
  base = `http://${container.getHost()}:${container.getMappedPort(8080)}`
  const archive = await buffer(await container.copyArchiveFromContainer('/data/bootstrap.json')) // tar: a head of 512 bytes, then the file
  const size = parseInt(archive.toString('latin1', 124, 135), 8)
  credentials = JSON.parse(archive.toString('utf8', 512, 512 + size))
})
after(() => container?.stop())

test('test control answers a request with the token', async () => {
  assert.ok(credentials.clientId)
  const clock = await fetch(base + '/_svc/clock', { headers: { authorization: `Bearer ${token}` } })
  assert.equal(clock.status, 200)
  assert.equal((await clock.json()).rate, 60)
  assert.equal((await fetch(base + '/_svc/clock')).status, 401)
})
