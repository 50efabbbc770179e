// The npm package mongodb-atlas-api-client, by HTTP Digest: project, cluster, database user, access list.
import { createRequire } from 'node:module';
import { check, CLUSTER, until, USER, withService } from './common.mjs';

const getClient = createRequire(`${process.cwd()}/build/clients/`)('mongodb-atlas-api-client');

await withService(async ({ base, boot }) => {
  const settings = { publicKey: boot.publicKey, privateKey: boot.privateKey, baseUrl: `${base}/api/atlas/v2` };
  const owner = getClient({ ...settings, projectId: boot.groupId });
  const project = await owner.project.create({ name: 'by-client', orgId: boot.orgId });
  check(project.id, `project: ${JSON.stringify(project)}`);
  check((await owner.project.getByName('by-client')).id === project.id, 'the project is not found by its name');

  const client = getClient({ ...settings, projectId: project.id });
  const cluster = await client.cluster.create(CLUSTER);
  check(cluster.mongoDBMajorVersion === '8.0', `cluster: ${JSON.stringify(cluster)}`);
  await until('the cluster is there', async () => (await client.cluster.get('Cluster0')).stateName === 'IDLE');
  check((await client.cluster.update('Cluster0', { tags: [{ key: 'team', value: 'shop' }] })).tags.length === 1, 'tags of the cluster');

  check((await client.user.create(USER)).username === 'app', 'user');
  check((await client.user.update('app', { description: 'the shop' })).description === 'the shop', 'change of the user');
  const list = await client.projectAccesslist.create([{ ipAddress: '192.0.2.1', comment: 'office' }]);
  check(list.totalCount === 1, `access list: ${JSON.stringify(list)}`);
  await client.projectAccesslist.delete('192.0.2.1');
  await client.user.delete('app');
  await until('the cluster can be deleted', async () => (await client.cluster.get('Cluster0')).stateName === 'IDLE');
  await client.cluster.delete('Cluster0');
  await until('the cluster is gone', async () => (await client.cluster.get('Cluster0')).errorCode === 'CLUSTER_NOT_FOUND');
  await owner.project.delete(project.id);
  check((await owner.project.getByName('by-client')).error === 404, 'the project is still there');
});
console.log('mongodb-atlas-api-client: ok');
