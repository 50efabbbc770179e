// Runs svcd as a child process: for tests in other languages or over real sockets. The program is in an optional package for this platform
// (svcapi-linux-x64, svcapi-linux-arm64), or SVCD names it, or it is in the PATH.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

// Returns the path of svcd.
export function program() {
  if (process.env.SVCD) return process.env.SVCD;
  try {
    return createRequire(import.meta.url).resolve(`svcapi-${process.platform}-${process.arch}/svcd`);
  } catch { /* no such package: look further */ }
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'svcd')).find((file) => existsSync(file));
  if (found) return found;
  throw new Error(`there is no svcd for ${process.platform} ${process.arch}: install it, and put it on the PATH or into SVCD; or use open() of "svcapi", which needs none`);
}

const flagsOf = ({ clock, seed, world, rate, provisionSeconds }) => [
  ...(clock === undefined ? [] : ['--clock', new Date(clock).toISOString().replace(/\.\d+Z$/, 'Z')]),
  ...(seed === undefined ? [] : ['--seed', String(seed)]), ...(world === undefined ? [] : ['--world', world]),
  ...(rate === undefined ? [] : ['--clock-rate', String(rate)]),
  ...(provisionSeconds === undefined ? [] : ['--provision-seconds', String(provisionSeconds)])];

// Starts svcd on a free port, in memory, with test control. options: clock, seed, world (a file or a name), rate, provisionSeconds, flags.
export async function start({ flags = [], ...options } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'svcapi-'));
  const file = join(folder, 'bootstrap.json');
  const child = spawn(program(), ['--memory', '--test-control', '--bootstrap', file, '--secret-key', join(folder, 'secret.key'),
    '--listen', 'http://127.0.0.1:0', ...flagsOf(options), ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  createInterface({ input: child.stderr }).on('line', (line) => { said.push(line); if (said.length > 20) said.shift(); });
  const gone = new Promise((resolve) => { child.once('exit', resolve); child.once('error', (error) => { said.push(error.message); resolve(); }); });
  const clean = () => rmSync(folder, { recursive: true, force: true });
  const end = () => child.kill();
  process.once('exit', end);
  const ready = new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => { if (line.startsWith('svcd ready on')) resolve(true); });
  });
  if (!await Promise.race([ready, gone.then(() => false)])) {
    clean();
    throw new Error(`svcd did not start: ${said.join('\n')}`);
  }
  return new Server(JSON.parse(readFileSync(file, 'utf8')), async () => {
    process.removeListener('exit', end);
    child.kill();
    await gone;
    clean();
  });
}

export class Server {
  #first;
  #end;
  #token;
  constructor(first, end) {
    this.#first = first;
    this.#end = end;
    const { baseUrl, testToken, ...credentials } = first;
    this.url = baseUrl;
    this.controlToken = testToken;
    this.credentials = credentials;
    this.clock = {
      now: async () => new Date((await this.#json('GET', 'clock')).nowMs),
      advance: (seconds) => this.#moved({ advanceSeconds: seconds }),
      set: (time) => this.#moved({ now: new Date(time).toISOString().replace(/\.\d+Z$/, 'Z') }),
      next: () => this.#moved({ toNextDue: true }),
      rate: (times) => this.#moved({ rate: times }),
    };
    this.faults = {
      add: (rule) => this.#json('POST', 'faults', rule),
      list: () => this.#json('GET', 'faults'),
      remove: (id) => this.control('DELETE', `faults/${id}`),
      clear: () => this.control('DELETE', 'faults'),
    };
  }
  // Test control: a path below /_svc/.
  async control(method, path, body) {
    const answer = await fetch(`${this.url}/_svc/${path}`, { method, headers: { Authorization: `Bearer ${this.controlToken}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) }, body: body === undefined ? undefined : JSON.stringify(body) });
    if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail ?? `${method} /_svc/${path}: ${answer.status}`);
    return answer;
  }
  async #json(...request) {
    return (await this.control(...request)).json();
  }
  async #moved(body) {
    return new Date((await this.#json('POST', 'clock', body)).nowMs);
  }
  // A bearer token of the first service account.
  async token() {
    if (this.#token && Date.now() < this.#token.until) return this.#token.text;
    const { clientId, clientSecret } = this.#first;
    const answer = await fetch(`${this.url}/api/oauth/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'client_credentials' }),
      headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` } });
    if (!answer.ok) throw new Error(`no token: ${answer.status}`);
    const { access_token: text, expires_in: lasts } = await answer.json();
    this.#token = { text, until: Date.now() + (lasts - 60) * 1000 };
    return text;
  }
  async reset() {
    await this.control('POST', 'reset');
    this.#token = undefined;
  }
  async journal({ limit = 100, har = false } = {}) {
    return this.#json('GET', `journal?limit=${limit}${har ? '&format=har' : ''}`);
  }
  async stop() {
    await this.#end();
  }
}
