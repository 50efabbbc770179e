// A client generated from our OpenAPI document by openapi-typescript (types, which the compiler checks) and openapi-fetch.
import createClient from 'openapi-fetch';
import type { paths } from './api';
// @ts-expect-error: plain JavaScript
import { check, token, until, withService } from './common.mjs';

// An answer without an envelope.
const plain = <T>(answer: T | undefined) => answer as Exclude<T, { content?: unknown }> | undefined;

await withService(async (service: { base: string; boot: { orgId: string } }) => {
  const client = createClient<paths>({
    baseUrl: `${service.base}/api/atlas/v2`, headers: { authorization: `Bearer ${await token(service)}`, 'content-type': 'application/json' },
  });
  const project = plain((await client.POST('/groups', { body: { name: 'by-openapi-fetch', orgId: service.boot.orgId } })).data);
  check(project?.id, 'project');
  const path = { groupId: project!.id! };
  const made = await client.POST('/groups/{groupId}/clusters', {
    params: { path },
    body: { name: 'Cluster0', clusterType: 'REPLICASET', mongoDBMajorVersion: '8.0', replicationSpecs: [{ regionConfigs: [
      { providerName: 'AWS', regionName: 'US_EAST_1', priority: 7, electableSpecs: { instanceSize: 'M10', nodeCount: 3 } }] }] },
  });
  check(made.response.ok, `cluster: ${JSON.stringify(made.error)}`);
  const one = { path: { ...path, clusterName: 'Cluster0' } };
  const read = async () => plain((await client.GET('/groups/{groupId}/clusters/{clusterName}', { params: one })).data);
  await until('the cluster is there', async () => (await read())?.stateName === 'IDLE');
  const changed = await client.PATCH('/groups/{groupId}/clusters/{clusterName}', { params: one, body: { tags: [{ key: 'team', value: 'shop' }] } });
  check(plain(changed.data)?.tags?.length === 1, 'tags of the cluster');

  const user = await client.POST('/groups/{groupId}/databaseUsers', { params: { path }, body: {
    databaseName: 'admin', username: 'app', password: 'correct-horse-battery', roles: [{ roleName: 'readWrite', databaseName: 'shop' }] } });
  check(plain(user.data)?.username === 'app', `user: ${JSON.stringify(user.error)}`);
  const list = await client.POST('/groups/{groupId}/accessList', { params: { path }, body: [{ ipAddress: '192.0.2.1' }] });
  check(list.response.ok, `access list: ${JSON.stringify(list.error)}`);
  const app = { path: { ...path, databaseName: 'admin', username: 'app' } };
  const described = await client.PATCH('/groups/{groupId}/databaseUsers/{databaseName}/{username}', { params: app, body: { description: 'the shop' } });
  check(plain(described.data)?.description === 'the shop', `change of the user: ${JSON.stringify(described.error)}`);
  const entry = { path: { ...path, entryValue: '192.0.2.1' } };
  check((await client.DELETE('/groups/{groupId}/accessList/{entryValue}', { params: entry })).response.ok, 'the entry stays');
  check((await client.DELETE('/groups/{groupId}/databaseUsers/{databaseName}/{username}', { params: app })).response.ok, 'the user stays');
  await until('the cluster is idle', async () => (await read())?.stateName === 'IDLE');
  await client.DELETE('/groups/{groupId}/clusters/{clusterName}', { params: one });
  await until('the cluster is gone', async () => (await client.GET('/groups/{groupId}/clusters/{clusterName}', { params: one })).response.status === 404);
  check((await client.DELETE('/groups/{groupId}', { params: { path } })).response.ok, 'the project stays');
});
console.log('openapi-typescript, openapi-fetch: ok');
