// svcd with a stopped clock, in memory, and Prism in front of it. stop() ends everything that was started here.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const started = [];
const folder = mkdtempSync(join(tmpdir(), 'svc-api-'));

export function stop() {
  for (const child of started) child.kill();
  rmSync(folder, { recursive: true, force: true });
}

export const temporary = (name) => join(folder, name);

// Sends one request. Object bodies are sent as JSON; JSON answers are parsed.
export async function send(method, url, { body, headers = {} } = {}) {
  const json = body !== undefined && typeof body !== 'string';
  const answer = await fetch(url, { method, redirect: 'manual', body: json ? JSON.stringify(body) : body,
    headers: { ...(json ? { 'Content-Type': 'application/json' } : {}), ...headers } });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const type = answer.headers.get('content-type') ?? '';
  const parsed = bytes.length && /[/+]json/.test(type) ? JSON.parse(bytes.toString()) : undefined;
  return { status: answer.status, headers: answer.headers, body: parsed, bytes };
}

export async function startService(svcd, flags = []) {
  const file = temporary('bootstrap.json');
  const child = spawn(svcd, ['--memory', '--test-control', '--clock', '2025-06-01T00:00:00Z', '--seed', '1', '--bootstrap', file,
    '--secret-key', temporary('secret.key'), '--listen', 'http://127.0.0.1:0', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  let ready = false;
  for await (const line of createInterface({ input: child.stdout })) if ((ready = line.startsWith('svcd ready on'))) break;
  if (!ready) throw new Error('svcd did not start');
  return JSON.parse(readFileSync(file, 'utf8'));
}

export const control = (first, method, path, body) =>
  send(method, `${first.baseUrl}/_svc${path}`, { body, headers: { Authorization: `Bearer ${first.testToken}` } });

export async function login(first) {
  const basic = Buffer.from(`${first.clientId}:${first.clientSecret}`).toString('base64');
  const answer = await send('POST', `${first.baseUrl}/api/oauth/token`, { body: 'grant_type=client_credentials',
    headers: { Authorization: `Basic ${basic}`, 'Content-Type': 'application/x-www-form-urlencoded' } });
  if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.bytes}`);
  return answer.body.access_token;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

// Prism reads paths without the server's base path, so `upstream` includes it.
export async function startPrism(program, document, upstream) {
  const port = await freePort();
  const child = spawn(process.execPath, [program, 'proxy', document, upstream, '--port', String(port), '--verboseLevel', 'fatal'],
    { stdio: ['ignore', 'ignore', 'inherit'] });
  started.push(child);
  for (let tries = 0; tries < 600; tries++) {
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      return `http://127.0.0.1:${port}`;
    } catch {
      if (child.exitCode !== null) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error('Prism did not start');
}
