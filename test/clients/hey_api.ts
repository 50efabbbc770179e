// A client generated from our OpenAPI document by @hey-api/openapi-ts: a function for each operation, named by its operationId.
import * as api from './hey/sdk.gen';
import { client } from './hey/client.gen';
// @ts-expect-error: plain JavaScript
import { check, CLUSTER, token, until, USER, withService } from './common.mjs';

// An answer without an envelope.
const plain = <T>(answer: T | undefined) => answer as Exclude<T, { content?: unknown }> | undefined;

await withService(async (service: { base: string; boot: { orgId: string } }) => {
  const bearer = await token(service);
  client.setConfig({ baseUrl: `${service.base}/api/atlas/v2`, auth: () => bearer });
  const project = plain((await api.createGroup({ body: { name: 'by-hey-api', orgId: service.boot.orgId } })).data);
  check(project?.id, 'project');
  const path = { groupId: project!.id! };
  const made = await api.createCluster({ path, body: CLUSTER });
  check(!made.error, `cluster: ${JSON.stringify(made.error)}`);
  const one = { ...path, clusterName: 'Cluster0' };
  await until('the cluster is there', async () => plain((await api.getCluster({ path: one })).data)?.stateName === 'IDLE');
  check(plain((await api.updateCluster({ path: one, body: { tags: [{ key: 'team', value: 'shop' }] } })).data)?.tags?.length === 1, 'tags of the cluster');
  check(plain((await api.createDatabaseUser({ path, body: USER })).data)?.username === 'app', 'user');
  const user = { ...path, databaseName: 'admin', username: 'app' };
  check(plain((await api.updateDatabaseUser({ path: user, body: { description: 'the shop' } })).data)?.description === 'the shop', 'change of the user');
  check(!(await api.createAccessListEntry({ path, body: [{ ipAddress: '192.0.2.1' }] })).error, 'access list');
  check(!(await api.deleteAccessListEntry({ path: { ...path, entryValue: '192.0.2.1' } })).error, 'the entry stays');
  check(!(await api.deleteDatabaseUser({ path: user })).error, 'the user stays');
  await until('the cluster is idle', async () => plain((await api.getCluster({ path: one })).data)?.stateName === 'IDLE');
  await api.deleteCluster({ path: one });
  await until('the cluster is gone', async () => (await api.getCluster({ path: one })).response?.status === 404);
  check(!(await api.deleteGroup({ path })).error, 'the project stays');
});
console.log('@hey-api/openapi-ts: ok');
