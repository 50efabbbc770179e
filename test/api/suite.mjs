// Calls every operation of the document through Prism: twice with an error, by an unknown parameter and without credentials, then with
// success, and again in an envelope. The test fails for every difference that Prism finds between a call and the document, for a header that
// the document lacks, and for an operation that was never called.
import { escape, Schemas } from './schemas.mjs';
import { send } from './service.mjs';
import { empty, extras, needs } from './tables.mjs';
import { isElsewhere } from './world.mjs';

// Headers of HTTP itself, and those that Prism adds.
const PLAIN = new Set(['date', 'content-type', 'content-length', 'connection', 'keep-alive', 'transfer-encoding', 'vary', 'cache-control',
  'sl-violations', 'access-control-allow-origin', 'access-control-allow-headers', 'access-control-allow-credentials',
  'access-control-expose-headers', 'access-control-allow-methods']);

// Headers that svcd adds to every answer for browsers: not part of the API, and equal for all operations.
const BROWSERS = { 'referrer-policy': 'strict-origin-when-cross-origin', 'x-frame-options': 'DENY', 'x-permitted-cross-domain-policies': 'none',
  'x-content-type-options': 'nosniff' };

// Prism's findings for a call.
function violations(answer) {
  const text = answer.headers.get('sl-violations') ?? '[]';
  return text.startsWith('[') ? JSON.parse(text) : [{ location: ['response'], message: text }]; // too many for a header
}

// All errors of an answer. If the request was wrong on purpose, Prism's findings about the request are ignored.
function faults(schemas, op, answer, meant) {
  const found = violations(answer).filter((v) => !meant || v.location[0] === 'response').map((v) => `${v.location.join('.')}: ${v.message}`);
  const response = op.responseOf(answer.status);
  if (answer.status !== 304 && !(String(answer.status) in op.spec.responses)) found.push(`${answer.status} is not among its responses`);
  const [media] = (answer.headers.get('content-type') ?? '').split(';');
  if (answer.body !== undefined && answer.status < 300) {
    const at = `/paths/${escape(op.path)}/${op.method.toLowerCase()}/responses/${answer.status}/content/${escape(media)}/schema`;
    const fault = response?.content?.[media] ? schemas.fault(at, answer.body) : `${media} is not among its media types`;
    if (fault) found.push(fault);
  }
  const known = new Set(Object.keys(response?.headers ?? {}).map((name) => name.toLowerCase()));
  for (const name of answer.headers.keys())
    if (!PLAIN.has(name) && !known.has(name) && !(name in BROWSERS)) found.push(`the header ${name} is not described`);
  for (const [name, value] of Object.entries(BROWSERS))
    if (answer.headers.get(name) !== value) found.push(`the header ${name} is ${answer.headers.get(name)}, not ${value}`);
  return found;
}

const more = (path, parameter) => `${path}${path.includes('?') ? '&' : '?'}${parameter}`;

export class Suite {
  constructor(world, prism, report) {
    this.world = world;
    this.prism = prism; // {below, apart}: Prism in front of the base path, and in front of the service
    this.report = report;
    this.schemas = new Schemas(world.document);
    this.succeeded = new Map();
    this.answers = new Map(); // received statuses, by operation
  }

  async call(op, path, { body, headers, meant = false, wanted }) {
    const at = op.apart ? this.prism.apart : this.prism.below;
    const answer = await send(op.method, at + path, { body, headers });
    const found = faults(this.schemas, op, answer, meant);
    if (wanted && !wanted.includes(answer.status)) found.unshift(`${answer.status}, not ${wanted}: ${answer.bytes.toString().slice(0, 300)}`);
    for (const what of found) this.report.fail(`${op.id}: ${op.method} ${path} (${answer.status}): ${what}`);
    if (!found.length) this.report.pass();
    if (!this.answers.has(op.id)) this.answers.set(op.id, new Set());
    this.answers.get(op.id).add(answer.status);
    return answer;
  }

  // Without credentials Prism must report that, or it has not checked the request at all.
  async stranger(op, path, options) {
    const answer = await this.call(op, path, { ...options, meant: true });
    if (!violations(answer).some((v) => v.location[0] === 'request')) this.report.fail(`${op.id}: Prism does not miss the credentials`);
  }

  bearer() {
    return { Authorization: `Bearer ${this.world.token}` };
  }

  // For operations outside the base path: only this function has their input.
  apart(op) {
    const { clientId, clientSecret } = this.world.service;
    const basic = { Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded' };
    if (op.id === 'issueAccessToken') return { headers: basic, body: 'grant_type=client_credentials' };
    if (op.id === 'revokeAccessToken') return { headers: basic, body: 'token=none' };
    return { headers: this.bearer(), body: undefined };
  }

  async ready(op, soon = false) {
    await this.world.begin();
    if (op.apart) return { path: op.path, ...this.apart(op) };
    const { path, body } = await this.world.ready(op, soon);
    return { path, body, headers: this.bearer() };
  }

  async operation(op) {
    const excuse = isElsewhere(op);
    const wanted = [excuse ? excuse[0] : op.status];
    let { path, body, headers } = await this.ready(op);
    const basic = headers.Authorization.startsWith('Basic');
    const type = { 'Content-Type': headers['Content-Type'] ?? (body === undefined ? undefined : 'application/json') };
    if (!type['Content-Type']) delete type['Content-Type'];
    if (!op.apart) await this.call(op, more(path, 'nosuch=1'), { body, headers, meant: true, wanted: excuse ? undefined : [400] });
    if (op.spec.security?.length !== 0)
      await this.stranger(op, path, { body, headers: type, wanted: basic ? [400] : [401] });
    const answer = await this.call(op, path, { body, headers, wanted, meant: Boolean(excuse) });
    this.succeeded.set(op.id, answer.status < 300);
    const items = answer.body?.results ?? answer.body;
    if (Array.isArray(items) && !items.length !== Boolean(empty[op.id]))
      this.report.fail(`${op.id}: the list is ${items.length ? 'not ' : ''}empty: what is in it ${items.length ? 'can be' : 'was not'} looked at`);
    const tag = answer.headers.get('etag');
    if (op.method === 'GET' && tag) await this.call(op, path, { body, headers: { ...headers, 'If-None-Match': tag }, wanted: [304] });
    ({ path, body, headers } = await this.ready(op));
    await this.call(op, more(path, 'envelope=true'), { body, headers, wanted, meant: Boolean(excuse) });
    if (op.method === 'PATCH' && op.takesBody && !excuse) await this.nothing(op);
    if (!extras[op.id]) return;
    ({ path, body, headers } = await this.ready(op, true));
    await this.call(op, path, { body: extras[op.id].body ?? body, headers, wanted: [extras[op.id].status] });
  }

  // An empty PATCH is refused for its missing fields, and exactly these are required in the document.
  async nothing(op) {
    const { path, headers } = await this.ready(op);
    const answer = await this.call(op, path, { body: {}, headers, meant: true });
    const fields = answer.body?.badRequestDetail?.fields ?? [];
    const missing = fields.filter((field) => field.description.startsWith('is required')).map((field) => field.field);
    const required = [...this.world.required(op.spec.requestBody.content['application/json'].schema), ...(needs[op.id] ?? [])];
    if (missing.sort().join() === required.sort().join()) this.report.pass();
    else this.report.fail(`${op.id}: needs [${missing}], and the document says [${required}]`);
  }

  async run(only) {
    for (const op of this.world.operations) {
      if (only && op.id !== only) continue;
      try {
        await this.operation(op);
      } catch (error) {
        this.report.fail(`${op.id}: not called: ${error.message}`);
      }
    }
    for (const op of this.world.operations) {
      if (only) continue;
      const excuse = isElsewhere(op);
      if (!this.answers.has(op.id)) this.report.fail(`${op.id} was never called`);
      else if (this.succeeded.get(op.id) && excuse) this.report.fail(`${op.id} succeeds: it needs no excuse`);
      else if (!this.succeeded.get(op.id)) this.report.say(`no 2xx: ${op.id}: ${excuse ? excuse[1] : 'see above'}`);
    }
  }
}
