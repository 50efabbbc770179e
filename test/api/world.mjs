// A world made from the document alone: each resource that the path or the body of an operation names is created on demand, by the POST
// of its collection, with that operation's example. tables.mjs has the facts that the document lacks, with the reason.
// test/world.c does the same in C, from the tables.
import { control, login, send } from './service.mjs';
import { bodies, daily, elsewhere, first, ids, instead, later, named, queries, refs, samples, then, values } from './tables.mjs';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const HEX24 = /^[0-9a-f]{24}$/;

export function operationsOf(document) {
  const resolve = (node) => (node.$ref ? node.$ref.slice(2).split('/').reduce((at, key) => at[key], document) : node);
  const all = [];
  for (const [path, item] of Object.entries(document.paths))
    for (const method of METHODS) {
      const spec = item[method];
      if (!spec) continue;
      const content = spec.requestBody?.content;
      const [status, answer] = Object.entries(spec.responses).find(([code]) => code.startsWith('2'));
      all.push({ id: spec.operationId, method: method.toUpperCase(), path, spec, apart: Boolean(item.servers), status: Number(status), answer,
        isList: spec.parameters.some((p) => p.$ref?.endsWith('/pageNum')), parameters: spec.parameters.map(resolve), takesBody: Boolean(content), example: content?.['application/json']?.example,
        responseOf: (code) => { const r = spec.responses[code] ?? spec.responses.default; return r && resolve(r); } });
    }
  return all;
}

export class World {
  constructor(service, document) {
    this.service = service;
    this.base = document.servers[0].url;
    this.document = document;
    this.schemas = document.components.schemas;
    this.operations = operationsOf(document);
    this.byPath = new Map(this.operations.map((op) => [`${op.method} ${op.path}`, op]));
  }

  async open() { // creates what exists before the first request
    this.token = await login(this.service);
    this.org = this.service.orgId;
    await this.must('DELETE', `/groups/${this.service.groupId}`);
    this.group = (await this.must('POST', '/groups', { name: 'alpha', orgId: this.org, withDefaultAlertsSettings: false })).id;
    const person = (username) => ({ username, password: 'correct horse', firstName: 'Ada', lastName: 'Byron', country: 'GB',
      mobileNumber: '2125550123', roles: [{ orgId: this.org, roleName: 'ORG_MEMBER' }] });
    await this.must('POST', '/users', person('ada@example.com'));
    this.user = (await this.must('POST', '/users', person('bob@example.com'))).id;
    this.otherOrg = (await this.must('POST', '/orgs', { name: 'Other', orgOwnerId: this.user })).organization.id;
    await this.control('POST', '/snapshots', { name: 'base' });
    this.firstToken = this.token;
  }

  async begin() { // restores the state after open()
    await this.control('POST', '/snapshots/base:restore');
    this.token = this.firstToken;
    this.made = new Map();
    this.making = [];
    this.replaced = null;
  }

  async control(method, path, body) {
    const answer = await control(this.service, method, path, body);
    if (answer.status >= 300) throw new Error(`${method} /_svc${path}: ${answer.status} ${answer.bytes}`);
    return answer;
  }

  async pass(seconds) {
    await this.control('POST', '/clock', { advanceSeconds: seconds });
    this.token = await login(this.service); // the old token may have expired
  }

  call(method, path, body, at = this.base) {
    return send(method, at + path, { body, headers: { Authorization: `Bearer ${this.token}` } });
  }

  async must(method, path, body) {
    const answer = await this.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} with ${JSON.stringify(body)}: ${answer.status} ${answer.bytes}`);
    return answer.body;
  }

  // ---- resources in a path

  keyShown(body, at) {
    const one = Array.isArray(body) ? body[0] : body?.results ? body.results[0] : body;
    if (!one) return undefined;
    const self = one.links?.find((link) => link.rel === 'self')?.href;
    if (self?.startsWith(`${this.base + at}/`)) return self.slice((this.base + at).length + 1);
    return one.id ?? one._id ?? self?.slice(self.lastIndexOf('/') + 1);
  }

  maker(path) {
    const op = this.byPath.get(`POST ${path}`);
    return op && (op.example || this.replaced?.path === path) && !this.making.includes(op) ? op : undefined;
  }

  async make(op, at) {
    if (this.made.has(at)) return this.made.get(at);
    this.making.push(op);
    const path = await this.path(op);
    const body = this.replaced?.path === op.path ? this.replaced.body : await this.example(op);
    this.making.pop();
    const answer = await this.must('POST', path, body);
    if (op.status === 202 && op.path.split('{').length > 2) await this.pass(600); // the parent must come to rest first
    const key = typeof answer === 'string' ? '-' : this.keyShown(answer, path.split('?')[0]); // a text has no key
    if (!key) throw new Error(`POST ${path} does not say how what it has made is called: ${JSON.stringify(answer)}`);
    this.made.set(at, key);
    if (then[op.path]) await this.must('PATCH', `${path}/${key}`, then[op.path]);
    return key;
  }

  async listed(at) {
    if (this.made.has(at)) return this.made.get(at);
    for (let tries = 0; tries < 2; tries++) {
      if (tries) await this.pass(36 * 3600); // the daily resources have appeared
      const answer = await this.call('GET', at);
      const key = answer.status === 200 ? this.keyShown(answer.body, at) : undefined;
      if (key) return this.made.set(at, key), key;
    }
    throw new Error(`nothing is in ${at}`);
  }

  // A key from a table: a text, or the result of a function.
  async known(value) {
    return typeof value === 'function' ? value(this) : value;
  }

  async key(op, template, at, param) {
    const own = values[`${op.method} ${op.path} ${param}`] ?? values[`${op.path} ${param}`] ?? values[param];
    if (own !== undefined) return this.known(own);
    if (param === 'orgId') return this.org;
    if (param === 'groupId') return this.group;
    const maker = this.maker(template);
    if (maker) return this.make(maker, at);
    const there = named[`${template} ${param}`] ?? named[param];
    if (there) return this.one(there);
    return this.listed(at);
  }

  // Returns the key of a resource of the collection with this template.
  async one(template) {
    const op = this.byPath.get(`POST ${template}`);
    const at = await this.fill(op ?? { path: template });
    return op ? this.make(op, at) : this.listed(at);
  }

  async fill(op) {
    let at = '', template = '', rest = [];
    for (const segment of op.path.split('/').slice(1)) {
      const match = /^\{(\w+)\}(.*)$/.exec(segment);
      let text = segment;
      if (match) {
        if (!rest.length) rest = String(await this.key(op, template, at, match[1])).split('/');
        text = rest.shift() + match[2];
      }
      at += `/${text}`;
      template += `/${segment}`;
    }
    return at;
  }

  async path(op) {
    return (await this.fill(op)) + (await this.query(op));
  }

  async query(op) {
    const parts = [];
    const given = queries[op.path] ?? {};
    for (const p of op.parameters) {
      if (p.in !== 'query' || (!p.required && !(p.name in given))) continue;
      const schema = p.schema.items ?? p.schema;
      const value = given[p.name] ?? schema.enum?.[0] ?? (schema.format === 'hex24' ? (p.name === 'orgId' ? this.org : this.group)
        : schema.format === 'date-time' ? '2025-05-31T00:00:00Z' : schema.type === 'boolean' ? 'true'
          : schema.type === 'integer' ? String(schema.minimum || 1) : 'a');
      parts.push(`${p.name}=${encodeURIComponent(await this.known(value))}`);
    }
    return parts.length ? `?${parts.join('&')}` : '';
  }

  // ---- resources in a body

  async sample() { // creates the collections of the sample data
    if (this.made.has('sample data')) return;
    this.made.set('sample data', true);
    await this.must('POST', `/groups/${this.group}/sampleDatasetLoad/Main`);
    await this.pass(600);
  }

  async example(op) {
    if (!op.takesBody) return undefined;
    if (bodies[op.id]) return bodies[op.id](this);
    const body = structuredClone(op.example);
    if (JSON.stringify(body ?? null).includes('"sample_mflix"')) await this.sample();
    const walk = async (node) => {
      for (const [name, value] of Object.entries(node)) {
        if (value && typeof value === 'object') await walk(value);
        else if (value === samples.user) node[name] = this.user;
        else if (value === samples.org) node[name] = this.otherOrg;
        else if (typeof value === 'string' && HEX24.test(value)) node[name] = await this.named(op, name, value);
      }
    };
    if (body && typeof body === 'object') await walk(body);
    for (const [field, template] of Object.entries(refs[op.path] ?? {})) {
      const parts = field.split('.'), last = parts.pop();
      const holder = parts.reduce((at, part) => at?.[part], body);
      if (holder && last in holder) holder[last] = decodeURIComponent(await this.one(template));
    }
    return body;
  }

  async named(op, name, value) {
    if (name === 'groupId') return this.group;
    if (name === 'orgId') return this.org;
    const there = ids[`${op.path} ${name}`] ?? ids[name];
    return there ? decodeURIComponent(await this.one(there)) : value;
  }

  // ---- whole requests

  // `soon`: before the resource is available. A list is not empty, if anything can be created there.
  async ready(op, soon = false) {
    this.replaced = instead[`${op.method} ${op.path}`] ?? null;
    for (const [method, path, body, how] of first[`${op.method} ${op.path}`] ?? []) {
      const before = this.byPath.get(`${method} ${path}`);
      if (!before) throw new Error(`tables.mjs: there is no ${method} ${path}`);
      const at = await this.path(before);
      if (op.method === 'GET' && method === 'POST' && !body && how !== 'sent') {
        await this.make(before, await this.fill(before));
        if (how === 'at rest') await this.pass(600);
        continue;
      }
      await this.must(method, at, body ?? (await this.example(before)));
      if (how === 'at rest') await this.pass(600);
    }
    this.making.push(op);
    const path = await this.path(op);
    const maker = op.method === 'GET' && op.isList ? this.maker(op.path) : undefined;
    if (maker) await this.make(maker, path.split('?')[0]);
    if (daily.has(op.id)) await this.pass(36 * 3600);
    const shows = op.example === undefined && !bodies[op.id];
    const body = !op.takesBody ? undefined : shows ? await this.shown(op, path) : await this.example(op);
    this.making.pop();
    if (!soon && later.has(`${op.method} ${op.path}`)) await this.pass(3600);
    return { path, body };
  }

  // For a PUT or PATCH without an example: the answer of a GET without the fields that only the service sets.
  async shown(op, path) {
    const get = this.byPath.get(`GET ${op.path}`);
    if (!get) throw new Error(`${op.id} has no example`);
    const body = await this.must('GET', path.split('?')[0] + (await this.query(get)));
    return this.writable(body, op.spec.requestBody.content['application/json'].schema);
  }

  resolve(schema) {
    return schema?.$ref ? this.resolve(this.schemas[schema.$ref.split('/').pop()]) : schema;
  }

  required(schema) { // for variants: the fields that all of them require
    const s = this.resolve(schema), all = s.oneOf ?? s.anyOf;
    if (!all) return [...(s.required ?? []), ...(schema.$ref ? schema.required ?? [] : [])];
    return all.map((variant) => this.required(variant)).reduce((some, more) => some.filter((name) => more.includes(name)));
  }

  writable(value, schema) {
    let s = this.resolve(schema);
    if (s?.allOf && !s.properties) s = this.resolve(s.allOf[0]);
    if (s?.discriminator && value && typeof value === 'object') s = this.resolve({ $ref: s.discriminator.mapping[value[s.discriminator.propertyName]] });
    if (s?.anyOf && !s.properties) s = this.resolve(s.anyOf[0]);
    if (Array.isArray(value)) return value.map((item) => this.writable(item, s?.items));
    if (!value || typeof value !== 'object' || !s?.properties) return value;
    const out = {};
    for (const [name, member] of Object.entries(value)) {
      const known = s.properties[name];
      if (name === 'links' || !known || known.readOnly) continue;
      const kept = this.writable(member, known);
      const hollow = kept && typeof kept === 'object' && !Object.keys(kept).length && Object.keys(member).length;
      if (!hollow) out[name] = kept; // a member without any writable field
    }
    return out;
  }
}

export const isElsewhere = (op) => elsewhere[op.id];
