// node:test. Run: node --test
import test from 'node:test';
import assert from 'node:assert';
import { open } from 'svcapi';

test('a cluster becomes IDLE', async () => {
  const svc = await open({ clock: '2030-01-01T00:00:00Z', seed: 1 });
  const path = `${svc.url}/api/svc/v2/groups/${svc.credentials.groupId}/clusters`;
  const headers = { Authorization: `Bearer ${svc.token()}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name: 'shop', clusterType: 'REPLICASET', replicationSpecs: [{ regionConfigs: [{ providerName: 'AWS',
    regionName: 'US_EAST_1', priority: 7, electableSpecs: { instanceSize: 'M10', nodeCount: 3 } }] }] });
  assert.equal((await svc.fetch(path, { method: 'POST', headers, body })).status, 201);
  svc.clock.advance('10m');
  assert.equal((await (await svc.fetch(`${path}/shop`, { headers })).json()).stateName, 'IDLE');
  svc.close();
});
