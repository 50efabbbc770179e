// The service in this process: a JavaScript interface to the WebAssembly module. This file uses only what Node, Deno, Bun and browsers all have;
// index.js finds the module's bytes on each of them.
//
// The rule: views of the module's memory are created after each call, because old views become empty when the memory grows.

export const BASE_URL = 'http://svcapi.test'; // .test never resolves: a request that goes to the network by mistake fails there
const encoder = new TextEncoder(), decoder = new TextDecoder();
const CODES = ['OK', 'NOMEM', 'INVALID', 'IO', 'FULL'];

export class SvcapiError extends Error {
  constructor(message, answer) {
    super(message);
    this.name = 'SvcapiError';
    if (answer) Object.assign(this, { status: answer.status, errorCode: answer.json?.errorCode, answer });
  }
}

// Imports from WASI: the time, random bytes, and three functions that the C library links but never calls.
function wasi(view) {
  return {
    clock_time_get(id, precision, out) {
      view().setBigUint64(out, BigInt(Date.now()) * 1000000n, true);
      return 0;
    },
    random_get(at, n) {
      globalThis.crypto.getRandomValues(new Uint8Array(view().buffer, at, n));
      return 0;
    },
    fd_write: () => 8, // EBADF
    fd_seek: () => 8,
    fd_close: () => 8,
  };
}

// An instance of the module: its memory and functions, with text in and out.
class Instance {
  constructor(module) {
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi(() => new DataView(this.exports.memory.buffer)) });
    this.exports = instance.exports;
    this.exports._initialize();
    this.scratch = this.exports.malloc(8); // for results that functions return through a pointer
    this.room = 0;
  }

  // Copies NUL-terminated strings into memory that the next call reuses. Returns their addresses; 0 for null.
  strings(...texts) {
    let most = 0;
    for (const text of texts) if (text !== null) most += text.length * 3 + 1;
    if (most > this.room) {
      if (this.room) this.exports.free(this.text);
      this.room = Math.max(most, 4096);
      this.text = this.exports.malloc(this.room);
      if (!this.text) throw new SvcapiError('out of memory');
    }
    const bytes = new Uint8Array(this.exports.memory.buffer, this.text, this.room);
    let at = 0;
    return texts.map((text) => {
      if (text === null) return 0;
      const from = at;
      at += encoder.encodeInto(text, bytes.subarray(at)).written;
      bytes[at++] = 0;
      return this.text + from;
    });
  }

  // Copies the bytes of a body, which the caller frees. Returns 0 for no body.
  bytes(data) {
    if (!data.length) return 0;
    const at = this.exports.malloc(data.length);
    if (!at) throw new SvcapiError('out of memory');
    new Uint8Array(this.exports.memory.buffer, at, data.length).set(data);
    return at;
  }

  read(at, n) {
    if (n === undefined) n = new Uint8Array(this.exports.memory.buffer, at).indexOf(0);
    return new Uint8Array(this.exports.memory.buffer, at, n);
  }

  string(at) {
    return at ? decoder.decode(this.read(at)) : '';
  }

  pointer() {
    return new DataView(this.exports.memory.buffer).getUint32(this.scratch, true);
  }

  // Converts the result in the scratch memory into an answer, and frees it.
  answer(code) {
    const e = this.exports;
    if (code !== 0) throw new SvcapiError(`svcapi: ${CODES[code] ?? code}: ${this.string(e.svc_strerror(code))}`);
    const result = this.pointer();
    const body = e.svc_result_body(result, this.scratch);
    const answer = new Answer(e.svc_result_status(result), this.string(e.svc_result_headers(result)), this.read(body, this.pointer()).slice());
    answer.operation = this.string(e.svc_result_operation(result)) || undefined;
    answer.dropped = e.svc_result_drop(result) !== 0;
    answer.delayMs = e.svc_result_delay_ms(result);
    e.svc_result_free(result);
    return answer;
  }
}

// An answer. `json` and `text` are computed on first use.
export class Answer {
  #lines;
  #headers;
  constructor(status, lines, bytes) {
    this.status = status;
    this.bytes = bytes;
    this.#lines = lines;
  }
  get headers() {
    return this.#headers ??= new Headers(this.#lines.split('\n').filter(Boolean).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }));
  }
  get text() {
    return decoder.decode(this.bytes);
  }
  get json() {
    try {
      return this.bytes.length ? JSON.parse(this.text) : undefined;
    } catch {
      return undefined;
    }
  }
}

const seconds = (value) => {
  if (typeof value === 'number') return value;
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(value);
  if (!found) throw new TypeError(`a duration is a number of seconds, or text such as "90s", "15m", "2h" or "1d", not ${JSON.stringify(value)}`);
  return Number(found[1]) * { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 }[found[2]];
};
const iso = (time) => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
// Returns the time at which a world sets the clock; undefined: none. Errors in a world are reported when it is loaded.
const began = (world) => {
  try {
    const now = (typeof world === 'string' ? JSON.parse(world) : world)?.now;
    return typeof now === 'string' && !Number.isNaN(Date.parse(now)) ? now : undefined;
  } catch {
    return undefined;
  }
};
// A line for call(). A line break in a name or value would begin another header.
const headerLine = (name, value) => {
  const line = `${name}: ${value}`;
  if (/[\r\n]/.test(line)) throw new TypeError(`the header ${JSON.stringify(name)} has a line break in it`);
  return `${line}\n`;
};
const base64 = (text) => btoa(String.fromCharCode(...encoder.encode(text)));

// The parts of a request that fetch() accepts.
async function parts(input, init, base) {
  const request = new Request(input instanceof Request ? input : new URL(input, base), init);
  const url = new URL(request.url);
  const type = request.headers.get('content-type');
  return { method: request.method, url, signal: request.signal, headers: request.headers, type,
    body: request.body === null ? new Uint8Array() : new Uint8Array(await request.arrayBuffer()) };
}

const ends = (signal) => signal.reason ?? new DOMException('This operation was aborted', 'AbortError');

function wait(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => { clearTimeout(timer); reject(ends(signal)); }, { once: true });
  });
}

export class Service {
  #instance;
  #handle;
  #token;
  #names = new Set();

  constructor(module, options) {
    const { clock, seed, world, snapshot, rate, baseUrl = BASE_URL, journal = 1000, provisionSeconds, delays = 'real', config = {}, ...other } = options;
    for (const name of Object.keys(other)) throw new TypeError(`open() has no option ${name}`);
    if (!['real', 'none'].includes(delays)) throw new TypeError('delays is "real" or "none"');
    this.url = baseUrl;
    this.delays = delays;
    const from = clock ?? began(world);
    const settings = { base_url: baseUrl, journal, limiter_off: false, ...(from === undefined ? {} : { manual_clock: Date.parse(iso(from)) }),
      ...(seed === undefined ? {} : { seed }), ...(rate === undefined ? {} : { clock_rate: rate }),
      ...(provisionSeconds === undefined ? {} : { provision_ms: provisionSeconds === 0 ? -1 : provisionSeconds * 1000 }), ...config };
    const i = this.#instance = new Instance(module);
    const why = i.exports.malloc(512);
    const code = i.exports.svc_open_json(i.scratch, ...i.strings(JSON.stringify(settings)), why, 512);
    if (code !== 0) throw new SvcapiError(i.string(why) || i.string(i.exports.svc_strerror(code)));
    i.exports.free(why);
    this.#handle = i.pointer();
    try {
      if (snapshot !== undefined) {
        const kept = this.load(snapshot);
        kept.restore();
        kept.free();
      }
      if (world !== undefined) this.world(world);
      this.credentials = snapshot === undefined && world === undefined ? this.#bootstrap() : this.#first(config.vendor ?? 'svc');
      this.#begin();
    } catch (error) {
      this.close();
      throw error;
    }
    this.clock = new Clock(this);
    this.faults = new Faults(this);
    this.fetch = this.fetch.bind(this);
  }

  get version() {
    return this.#instance.string(this.#instance.exports.svc_version());
  }

  #open() {
    if (!this.#handle) throw new SvcapiError('the service is closed');
    return this.#instance;
  }

  // Marks the state that reset() restores.
  #begin() {
    const i = this.#open(), code = i.exports.svc_control_begin(this.#handle);
    if (code !== 0) throw new SvcapiError(i.string(i.exports.svc_strerror(code)));
  }

  // An empty store gets an organization, a project, and credentials that own them.
  #bootstrap() {
    const i = this.#open();
    return i.answer(i.exports.svc_bootstrap_json(this.#handle, i.scratch)).json;
  }

  // Creates credentials that own the first organization of a world or snapshot, as svcd does. An empty store first gets an organization.
  #first(vendor) {
    const there = this.#vouched('GET', `/api/${vendor}/v2/orgs?itemsPerPage=1`).results;
    if (!there.length) return this.#bootstrap();
    const orgId = there[0].id, at = `/api/${vendor}/v2/orgs/${orgId}`, role = { roles: ['ORG_OWNER'] };
    const { publicKey, privateKey } = this.#vouched('POST', `${at}/apiKeys`, { desc: 'svcapi', ...role });
    const { clientId, secrets } = this.#vouched('POST', `${at}/serviceAccounts`, { name: 'svcapi', description: 'svcapi', ...role, secretExpiresAfterHours: 8760 });
    const projects = this.#vouched('GET', `${at}/groups?itemsPerPage=1`).results;
    return { orgId, groupId: projects[0]?.id ?? '', publicKey, privateKey, clientId, clientSecret: secrets[0].secret };
  }

  // Sends a request whose caller this program names, without credentials. Returns the parsed answer.
  #vouched(method, target, body) {
    const origin = { caller: { user_id: '0'.repeat(24), username: 'svcapi', grants: [{ role: 'ORG_OWNER' }] } };
    const answer = this.#ask(method, target, body ? 'Content-Type: application/json\n' : '', encoder.encode(body ? JSON.stringify(body) : ''), JSON.stringify(origin));
    if (answer.status >= 300) throw new SvcapiError(`${method} ${target}: ${answer.json?.detail ?? answer.status}`, answer);
    return answer.json;
  }

  // Sends one request and returns its answer at once. headers: "Name: value" lines. body: bytes or text.
  call(method, target, headers = '', body = '') {
    for (const text of [method, target, headers]) if (text.includes('\0')) throw new TypeError('a request has no NUL in it');
    return this.#ask(method, target, headers, typeof body === 'string' ? encoder.encode(body) : body, null);
  }

  #ask(method, target, headers, data, origin) {
    const i = this.#open(), at = i.bytes(data);
    const [m, t, h, o] = i.strings(method, target, headers, origin);
    const code = i.exports.svc_call_text(this.#handle, m, t, h, at, data.length, o, i.scratch);
    if (at) i.exports.free(at);
    return i.answer(code);
  }

  // Calls test control: a path below /_svc/. Throws if it is refused.
  control(method, path, body) {
    const i = this.#open();
    const data = body === undefined ? new Uint8Array() : body instanceof Uint8Array ? body : encoder.encode(typeof body === 'string' ? body : JSON.stringify(body));
    const at = i.bytes(data);
    const [m, t] = i.strings(method, `/_svc/${path}`);
    const code = i.exports.svc_control_text(this.#handle, m, t, at, data.length, i.scratch);
    if (at) i.exports.free(at);
    const answer = i.answer(code);
    if (answer.status >= 400) throw new SvcapiError(answer.json?.detail ?? `${method} /_svc/${path}: ${answer.status}`, answer);
    return answer;
  }

  // Sends one request with a token, for tests that inspect the service next to the client that they test. A body is sent as JSON.
  request(method, path, body, headers = {}) {
    const lines = Object.entries({ Authorization: `Bearer ${this.token()}`, Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers }).map(([name, value]) => headerLine(name, value)).join('');
    return this.call(method, path, lines, body === undefined ? '' : JSON.stringify(body));
  }

  // A bearer token of the first service account, renewed shortly before it expires.
  token() {
    const now = this.now();
    if (this.#token && now < this.#token.until && now >= this.#token.from) return this.#token.text;
    const { clientId, clientSecret } = this.credentials;
    const answer = this.call('POST', '/api/oauth/token', `Authorization: Basic ${base64(`${clientId}:${clientSecret}`)}\n` +
      'Content-Type: application/x-www-form-urlencoded\n', 'grant_type=client_credentials');
    if (answer.status !== 200) throw new SvcapiError(`no token: ${answer.json?.detail ?? answer.status}`, answer);
    const { access_token: text, expires_in: lasts } = answer.json;
    this.#token = { text, from: now, until: now + (lasts - 60) * 1000 };
    return text;
  }

  now() {
    return Number(this.#open().exports.svc_clock_now(this.#handle));
  }

  // Like the global fetch(), for URLs of this service; other URLs are refused. A dropped answer is a network error; a delayed answer arrives late.
  async fetch(input, init) {
    const { method, url, signal, headers, type, body } = await parts(input, init, this.url);
    if (signal?.aborted) throw ends(signal);
    if (!this.takes(url)) throw new TypeError(`fetch failed: ${url.origin} is not this service, ${this.url}`);
    const lines = [`Host: ${url.host}\n`];
    headers.forEach((value, name) => lines.push(`${name}: ${value}\n`));
    if (type === null && body.length) lines.push('Content-Type: text/plain;charset=UTF-8\n');
    const answer = this.call(method, url.pathname + url.search, lines.join(''), body);
    if (answer.delayMs && this.delays === 'real') await wait(answer.delayMs, signal);
    if (answer.dropped) throw Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('other side closed'), { code: 'ECONNRESET' }) });
    const none = method === 'HEAD' || [101, 204, 205, 304].includes(answer.status);
    const response = new Response(none ? null : answer.bytes, { status: answer.status, headers: answer.headers });
    Object.defineProperty(response, 'url', { value: url.href });
    return response;
  }

  takes(url) {
    return new URL(url, this.url).origin === new URL(this.url).origin;
  }

  // Makes the global fetch() send requests for this service's base URL to it; others go to the network. Returns a function that undoes this.
  // In a page, relative URLs still belong to the page; elsewhere they belong to this service.
  install(where = globalThis) {
    const before = where.fetch;
    where.fetch = (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input, globalThis.location?.href ?? this.url);
      return this.takes(url) ? this.fetch(input instanceof Request ? input : url, init) : before.call(where, input, init);
    };
    const undo = () => { where.fetch = before; };
    if (Symbol.dispose) undo[Symbol.dispose] = undo;
    return undo;
  }

  // Restores the state in which open() returned, without faults and with an empty journal.
  reset() {
    this.control('POST', 'reset');
    this.#token = undefined;
  }

  #name() {
    for (let n = 1; ; n++) if (!this.#names.has(`js-${n}`)) return `js-${n}`;
  }

  // Takes a snapshot of the whole state: .restore() restores it, .bytes() returns it as a file, .free() deletes it.
  snapshot() {
    const name = this.#name();
    this.control('POST', 'snapshots', { name });
    return this.#kept(name);
  }

  // Loads a snapshot from bytes that bytes() returned.
  load(bytes) {
    const name = this.#name();
    this.control('PUT', `snapshots/${name}`, bytes);
    return this.#kept(name);
  }

  #kept(name) {
    this.#names.add(name);
    return {
      restore: () => { this.control('POST', `snapshots/${name}:restore`); this.#token = undefined; },
      bytes: () => this.control('GET', `snapshots/${name}`).bytes,
      free: () => { if (this.#names.delete(name)) this.control('DELETE', `snapshots/${name}`); },
    };
  }

  // Returns the last requests and their answers, the newest last, without secrets. {har: true}: as an HTTP archive.
  journal({ limit = 100, har = false } = {}) {
    return this.control('GET', `journal?limit=${limit}${har ? '&format=har' : ''}`).json;
  }

  clearJournal() {
    this.control('DELETE', 'journal');
  }

  // Loads a world: an object, or JSON text. See docs/worlds.md.
  world(world) {
    return this.control('POST', 'world', typeof world === 'string' ? world : JSON.stringify(world)).json;
  }

  close() {
    if (this.#handle) this.#instance.exports.svc_close(this.#handle);
    this.#handle = 0;
  }
}

class Clock {
  #service;
  constructor(service) {
    this.#service = service;
  }
  now() {
    return new Date(this.#service.now());
  }
  advance(by) {
    return this.#moved({ advanceSeconds: Math.round(seconds(by)) });
  }
  set(time) {
    return this.#moved({ now: iso(time) });
  }
  // Moves to the next due step.
  next() {
    return this.#moved({ toNextDue: true });
  }
  rate(times) {
    return this.#moved({ rate: times });
  }
  #moved(body) {
    return new Date(this.#service.control('POST', 'clock', body).json.nowMs);
  }
}

class Faults {
  #service;
  constructor(service) {
    this.#service = service;
  }
  add(rule) {
    return this.#service.control('POST', 'faults', rule).json;
  }
  list() {
    return this.#service.control('GET', 'faults').json;
  }
  remove(id) {
    this.#service.control('DELETE', `faults/${id}`);
  }
  clear() {
    this.#service.control('DELETE', 'faults');
  }
}
