// A client that a generator makes from the document alone: it signs in, creates a project and a cluster, waits until the cluster is
// IDLE, and deletes both.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { generateApi } from 'swagger-typescript-api';
import { control } from './service.mjs';

export async function generate(file, folder) {
  mkdirSync(folder, { recursive: true });
  await generateApi({ fileName: 'client.js', output: folder, input: file, toJS: true, httpClientType: 'fetch', silent: true });
  return pathToFileURL(join(folder, 'client.js')).href;
}

export async function useClient(module, first, report) {
  const { Api } = await import(module);
  const expect = (what, was, wanted) => (was === wanted ? report.pass() : report.fail(`client: ${what}: ${was}, not ${wanted}`));
  const api = new Api({ securityWorker: (token) => ({ headers: { Authorization: `Bearer ${token}` } }), baseApiParams: { secure: true, format: 'json' } });
  const call = (operation, ...values) => { // the generator has a member for each first word of a path
    const group = Object.values(api).find((member) => typeof member?.[operation] === 'function');
    if (!group) throw new Error(`the client has no ${operation}`);
    return group[operation](...values);
  };
  const basic = Buffer.from(`${first.clientId}:${first.clientSecret}`).toString('base64');
  const signed = await call('issueAccessToken', { grant_type: 'client_credentials' }, {},
    { baseUrl: first.baseUrl, secure: false, headers: { Authorization: `Basic ${basic}` } });
  expect('sign in', signed.status, 200);
  api.setSecurityData(signed.data.access_token);
  const project = await call('createGroup', { name: 'generated', orgId: first.orgId });
  expect('create a project', project.status, 201);
  const made = await call('createCluster', project.data.id, { name: 'shop', clusterType: 'REPLICASET', replicationSpecs: [{ regionConfigs: [{
    providerName: 'AWS', regionName: 'US_EAST_1', electableSpecs: { instanceSize: 'M10', nodeCount: 3 } }] }] });
  expect('create a cluster', made.status, 201);
  expect('its state', made.data.stateName, 'CREATING');
  await control(first, 'POST', '/clock', { advanceSeconds: 60 });
  const idle = await call('getCluster', project.data.id, 'shop');
  expect('its state after a minute', idle.data.stateName, 'IDLE');
  expect('delete the cluster', (await call('deleteCluster', project.data.id, 'shop')).status, 202);
  await control(first, 'POST', '/clock', { advanceSeconds: 60 });
  expect('delete the project', (await call('deleteGroup', project.data.id)).ok, true);
}
