// svcd for a test of the page: starts it with the necessary flags, sends requests to it directly, and ends it.
import { spawn } from 'node:child_process';
import { readFileSync, mkdirSync, rmSync } from 'node:fs';

export async function service(name, args = []) {
  const folder = 'build/web/' + name, file = folder + '/bootstrap.json';
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const child = spawn('build/svcd', [...(args.includes('--data') ? [] : ['--memory']), '--test-control', ...(args.includes('--world') ? [] : ['--clock', '2030-01-01T00:00:00Z']), '--seed', '1', '--bootstrap', file,
    '--listen', 'http://127.0.0.1:0', '--end-with-stdin', ...args], { stdio: ['pipe', 'pipe', 'pipe'] }); // a killed run leaves no svcd behind
  let text = '';
  const urls = await new Promise((good, bad) => {
    child.stderr.on('data', (d) => { text += d; });
    child.stdout.on('data', (d) => { text += d; const m = /svcd ready on (.*)\n/.exec(text); if (m) good(m[1].split(' ')); });
    child.on('exit', (code) => bad(new Error('svcd has ended with ' + code + ': ' + text)));
  });
  const k = JSON.parse(readFileSync(file)), url = urls[0], json = { 'Content-Type': 'application/json' };
  let token = '';
  const server = (await (await fetch(url + '/openapi.json', { redirect: 'follow' }).catch(() => null))?.json())?.servers[0].url ?? '';
  const s = {
    ...k, url, urls, folder, api: server.slice(server.indexOf('/api/')),
    async control(path, body) {
      const r = await fetch(url + '/_svc/' + path, { method: body === undefined ? 'GET' : 'POST', headers: { ...json, Authorization: 'Bearer ' + k.testToken }, body: body === undefined ? undefined : JSON.stringify(body) });
      if (!r.ok) throw new Error('/_svc/' + path + ' answers ' + r.status + ': ' + await r.text());
      return r.status === 204 ? null : r.json();
    },
    advance: (seconds) => s.control('clock', { advanceSeconds: seconds }),
    fault: (rule) => s.control('faults', { count: 1, ...rule }),
    noFaults: () => fetch(url + '/_svc/faults', { method: 'DELETE', headers: { Authorization: 'Bearer ' + k.testToken } }).then((r) => { if (!r.ok) throw new Error('DELETE /_svc/faults answers ' + r.status); }),
    async call(method, path, body, again) {
      if (!token) await s.sign();
      const r = await fetch(url + s.api + path, { method, headers: { ...json, Authorization: 'Bearer ' + token }, body: body === undefined ? undefined : JSON.stringify(body) });
      const answer = await r.text();
      if (r.status === 401 && !again) { token = ''; return s.call(method, path, body, true); } // a test has moved the clock, so the token has expired
      if (!r.ok) throw new Error(method + ' ' + path + ' answers ' + r.status + ': ' + answer);
      return answer ? JSON.parse(answer) : null;
    },
    async sign() {
      const r = await fetch(url + '/api/oauth/token', { method: 'POST', body: 'grant_type=client_credentials',
        headers: { Authorization: 'Basic ' + btoa(k.clientId + ':' + k.clientSecret), 'Content-Type': 'application/x-www-form-urlencoded' } });
      token = (await r.json()).access_token;
    },
    end: () => new Promise((done) => { child.removeAllListeners('exit'); child.once('exit', done); child.kill('SIGTERM'); }),
  };
  return s;
}

export const CLUSTER = { clusterType: 'REPLICASET', replicationSpecs: [{ regionConfigs: [{ providerName: 'AWS', regionName: 'US_EAST_1', priority: 7, electableSpecs: { instanceSize: 'M10', nodeCount: 3 } }] }] };
