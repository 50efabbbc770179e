// Shared by the client tests: svcd on loopback with the dialect of the public service, its credentials, and waiting.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import net from 'node:net';

export function check(holds, what) {
  if (!holds) throw new Error(what);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

// Starts svcd, calls run({base, boot}), and ends it.
export async function withService(run, scheme = 'http') {
  const folder = mkdtempSync(join(tmpdir(), 'svcd-clients-'));
  const base = `${scheme}://127.0.0.1:${await freePort()}`;
  const boot = join(folder, 'boot.json');
  const svcd = spawn(process.env.SVCD ?? 'build/svcd', ['serve', '--data', folder, '--dialect', 'examples/dialects/atlas.json', '--provision-seconds', '1',
    '--bootstrap', boot, '--listen', base], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => svcd.on('exit', resolve));
  try {
    await new Promise((resolve, reject) => {
      svcd.stdout.on('data', (text) => String(text).includes('ready') && resolve());
      ended.then((code) => reject(new Error(`svcd ended with ${code}`)));
    });
    await run({ base, boot: JSON.parse(readFileSync(boot, 'utf8')) });
  } finally {
    svcd.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

// Calls ask() every 100 ms until it returns a true value; at most 30 s.
export async function until(what, ask) {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`in vain: ${what}`);
}

export async function token({ base, boot }) {
  const basic = Buffer.from(`${boot.clientId}:${boot.clientSecret}`).toString('base64');
  const answer = await fetch(`${base}/api/oauth/token`, {
    method: 'POST', body: 'grant_type=client_credentials',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
  });
  check(answer.ok, `token: ${answer.status}`);
  return (await answer.json()).access_token;
}

export const CLUSTER = {
  name: 'Cluster0', clusterType: 'REPLICASET', mongoDBMajorVersion: '8.0',
  replicationSpecs: [{ regionConfigs: [{ providerName: 'AWS', regionName: 'US_EAST_1', priority: 7,
    electableSpecs: { instanceSize: 'M10', nodeCount: 3 } }] }],
};
export const USER = { databaseName: 'admin', username: 'app', password: 'correct-horse-battery', roles: [{ roleName: 'readWrite', databaseName: 'shop' }] };
