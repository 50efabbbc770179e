// Ansible's modules for this API, from Debian 13's package ansible: they use version 1.0, with a hard-coded host, and
// front.mjs plays that host. There is no module for projects, so the modules use the project of svcd's first credentials.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { check, token, until, withService } from './common.mjs';
import { withFront } from './front.mjs';

const HOST = 'cloud.mongodb.com', folder = mkdtempSync(join(tmpdir(), 'svcd-ansible-'));

await withService(async (service) => withFront(service, folder, HOST, async ({ proxy, certificate }) => {
  const { boot, base } = service, bearer = await token(service);
  const env = { ...process.env, LC_ALL: 'C.UTF-8', https_proxy: proxy, SSL_CERT_FILE: certificate, ANSIBLE_COLLECTIONS_PATH: process.env.ANSIBLE_MODULES, ANSIBLE_HOME: folder,
    ANSIBLE_LOCALHOST_WARNING: 'false', ANSIBLE_INVENTORY_UNPARSED_WARNING: 'false' };
  // Runs one task; resolves to whether the module changed something.
  async function task(module, args) {
    const all = { api_username: boot.publicKey, api_password: boot.privateKey, group_id: boot.groupId, ...args };
    const ran = await promisify(execFile)('ansible', ['localhost', '-m', `community.mongodb.mongodb_atlas_${module}`, '-a', JSON.stringify(all)], { env })
      .catch((e) => { throw new Error(`${module} ${JSON.stringify(args)}: ${e.stdout}${e.stderr}`); });
    return JSON.parse(ran.stdout.slice(ran.stdout.indexOf('{'))).changed; // 'localhost | CHANGED => {...}', the output format of ansible-core
  }
  const read = (path) => fetch(`${base}/api/atlas/v2/groups/${boot.groupId}${path}`, { headers: { authorization: `Bearer ${bearer}` } });
  const idle = () => until('the cluster is there', async () => (await (await read('/clusters/Cluster0')).json()).stateName === 'IDLE');

  const cluster = { name: 'Cluster0', cluster_type: 'REPLICASET', mongo_db_major_version: '7.0',
    provider_settings: { provider_name: 'AWS', region_name: 'US_EAST_1', instance_size_name: 'M10' } };
  const user = { username: 'app', password: 'correct-horse-battery', roles: [{ database_name: 'shop', role_name: 'readWrite' }] };
  const entry = { cidr_block: '192.0.2.0/24' };
  check(await task('cluster', cluster), 'the cluster is not made');
  await idle();
  check(await task('cluster', { ...cluster, disk_size_gb: 20 }), 'the cluster is not changed');
  await idle();
  check((await (await read('/clusters/Cluster0')).json()).replicationSpecs[0].regionConfigs[0].electableSpecs.diskSizeGB === 20, 'the disk is not larger');
  check(await task('user', user), 'the user is not made');
  check(await task('user', { ...user, roles: [{ database_name: 'shop', role_name: 'read' }] }), 'the user is not changed');
  check(await task('whitelist', entry), 'the entry is not made');
  check(!(await task('whitelist', entry)), 'the same entry is made again');
  check(await task('whitelist', { ...entry, comment: 'office' }), 'the entry is not changed');
  for (const [module, args] of [['whitelist', entry], ['user', user], ['cluster', cluster]])
    check(await task(module, { ...args, state: 'absent' }), `${module}: not deleted`);
  await until('the cluster is gone', async () => (await read('/clusters/Cluster0')).status === 404);
  check(!(await task('user', { ...user, state: 'absent' })), 'a user who is not there is deleted');
})).finally(() => rmSync(folder, { recursive: true, force: true }));
console.log('ansible: ok');
