// Runs svcd as a child process: for tests in other languages or over real sockets.
//
// The rule: svcd never outlives its user. svcd runs with --end-with-stdin, and its standard input is a pipe whose other end only this process has.
// Whatever ends this process, the kernel closes the pipe, and svcd ends.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { program } from './program.js';

export { program } from './program.js';

const OPTIONS = ['clock', 'seed', 'world', 'rate', 'provisionSeconds'];
const flagsOf = ({ clock, seed, world, rate, provisionSeconds }) => [
  ...(clock === undefined ? [] : ['--clock', new Date(clock).toISOString().replace(/\.\d+Z$/, 'Z')]),
  ...(seed === undefined ? [] : ['--seed', String(seed)]), ...(world === undefined ? [] : ['--world', world]),
  ...(rate === undefined ? [] : ['--clock-rate', String(rate)]),
  ...(provisionSeconds === undefined ? [] : ['--provision-seconds', String(provisionSeconds)])];

// A running svcd: its last lines, whether it is ready, and its end.
class Child {
  constructor(args) {
    // svcd reads variables SVCD_* as flags: a test depends on what it says, not on the machine
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVCD_')));
    this.said = [];
    this.process = spawn(program(), args, { stdio: ['pipe', 'pipe', 'pipe'], env });
    this.process.stdin.on('error', () => { /* svcd has ended: `gone` tells */ });
    this.gone = new Promise((done) => {
      this.process.once('exit', (code, signal) => done(`svcd has ended with ${signal ?? `status ${code}`}`));
      this.process.once('error', (error) => done(`svcd cannot be started: ${error.message}`));
    });
    this.closed = new Promise((done) => { this.process.once('close', done); }); // its last line has been read
    this.ready = new Promise((done) => {
      for (const stream of [this.process.stdout, this.process.stderr])
        createInterface({ input: stream }).on('line', (line) => {
          if (this.said.push(line) > 20) this.said.shift();
          if (line.startsWith('svcd ready on')) done('');
        });
    });
  }
  // Whether this process waits for svcd before it ends.
  held(is) {
    const { process: child } = this;
    for (const one of [child, child.stdin, child.stdout, child.stderr]) one[is ? 'ref' : 'unref']?.();
  }
  async end() {
    this.held(true);
    this.process.stdin.destroy();
    this.process.kill();
    const kill = setTimeout(() => this.process.kill('SIGKILL'), 15000); // svcd itself gives up after 10 seconds
    await this.gone;
    clearTimeout(kill);
    let timer; // a program that svcd has started may keep its output open
    await Promise.race([this.closed, new Promise((done) => { timer = setTimeout(done, 1000); })]);
    clearTimeout(timer);
    this.process.stdout?.destroy();
    this.process.stderr?.destroy();
  }
}

// Waits until svcd is ready. Returns why it is not; '': it is.
async function readiness(child, seconds) {
  let timer;
  const late = new Promise((done) => { timer = setTimeout(done, seconds * 1000, `svcd is not ready after ${seconds} seconds`); });
  const why = await Promise.race([child.ready, child.gone, late]);
  clearTimeout(timer);
  return why;
}

// Starts svcd on a free port, in memory, with test control. options: clock, seed, world (a file or a name), rate, provisionSeconds, flags, timeoutSeconds.
export async function start({ flags = [], timeoutSeconds = 30, ...options } = {}) {
  for (const name of Object.keys(options)) if (!OPTIONS.includes(name)) throw new TypeError(`start() has no option ${name}`);
  if (!(timeoutSeconds > 0 && timeoutSeconds <= 2147483)) throw new TypeError(`timeoutSeconds is a number of seconds above 0, not ${timeoutSeconds}`);
  const args = ['serve', '--end-with-stdin', '--memory', '--test-control', '--listen', 'http://127.0.0.1:0', ...flagsOf(options), ...flags];
  program(); // throws if there is no svcd, before a folder is made
  const folder = mkdtempSync(join(tmpdir(), 'svcapi-')), file = join(folder, 'bootstrap.json');
  const clean = () => rmSync(folder, { recursive: true, force: true });
  let child;
  process.once('exit', clean);
  try {
    child = new Child([...args, '--bootstrap', file]);
    const why = await readiness(child, timeoutSeconds);
    if (why) {
      await child.end();
      throw new Error(`svcd did not start: ${[why, ...child.said].join('\n')}`);
    }
    const first = JSON.parse(readFileSync(file, 'utf8'));
    child.held(false);
    return new Server(first, () => child.end());
  } catch (error) {
    await child?.end();
    throw error;
  } finally {
    clean(); // from now on only this process knows the credentials, and no file stays behind, whatever ends it
    process.removeListener('exit', clean);
  }
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
