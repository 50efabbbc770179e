// Queries on the OpenAPI document: the operations at a path, the schemas of their bodies, and their endpoint sets in the limiter. Nothing here knows a resource
// by name.

import { decode } from './dom.js';
import { fill, isRefused, segment, urlAt } from './address.js';

export { fill };

// The URL of a path of the API, to show it.
export const hrefAt = (path) => urlAt(spec.base, path)?.href ?? '';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
// api: the root's path at the service; linked: the same in links, which may begin with a prefix that a proxy removes; base: as the page calls it
export const spec = { api: '', linked: '', base: '', title: '', ops: [], sets: new Map() };

function pattern(template) {
  const parts = template.split(/(\{[^}]*\})/).map((p) => (p[0] === '{' ? '([^/]+)' : p.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp('^' + parts.join('') + '$');
}

// media types are dated: the newest JSON one
function accepted(op) {
  const good = Object.entries(op.responses ?? {}).find(([status]) => status[0] === '2')?.[1];
  const types = Object.keys(follow(good)?.content ?? {}).sort();
  return types.filter((t) => /json$/.test(t)).pop() ?? types.pop();
}

// Whether an operation answers with a list: results, or an array.
function lists(op) {
  const good = Object.entries(op.responses ?? {}).find(([status]) => status[0] === '2')?.[1], content = Object.values(follow(good)?.content ?? {}).pop();
  const s = schemaOf(content?.schema);
  return s.type === 'array' || Boolean(s.properties?.results) || [...(s.anyOf ?? []), ...(s.oneOf ?? [])].some((o) => schemaOf(o).properties?.results);
}

let whole = {};
export function follow(o) {
  for (let n = 0; o?.$ref && n < 8; n++) o = o.$ref.slice(2).split('/').reduce((at, key) => at?.[key.replace(/~1/g, '/').replace(/~0/g, '~')], whole);
  return o;
}

// A schema for forms: references are resolved, and an allOf of one is merged with the members next to it. A schema that contains itself through allOf ends
// there; around: the schemas that contain this one.
export function schemaOf(s, around = []) {
  s = follow(s) ?? {};
  if (!s.allOf || around.includes(s)) return s.allOf ? {} : s;
  const { allOf, ...beside } = s;
  return Object.assign({}, ...allOf.map((part) => schemaOf(part, [...around, s])), beside);
}

// home: the path of the page.
export function readDocument(d, home) {
  whole = d;
  spec.title = d.info?.title ?? '';
  spec.linked = new URL(d.servers?.[0]?.url ?? '/', location.href).pathname.replace(/\/$/, '');
  spec.api = spec.linked.slice(Math.max(0, spec.linked.lastIndexOf('/api/')));
  spec.base = home.replace(/\/$/, '') + spec.api;
  spec.ops = [];
  for (const [path, item] of Object.entries(d.paths ?? {})) {
    // the root has its whole path, and a server of its own
    const template = path === spec.api ? '' : path;
    if (item.servers && path !== spec.api) continue;
    for (const method of METHODS) {
      const op = item[method];
      if (!op) continue;
      const parameters = [...(item.parameters ?? []), ...(op.parameters ?? [])].map(follow).filter(Boolean);
      const body = follow(op.requestBody);
      const content = Object.entries(body?.content ?? {}).find(([type]) => /json/.test(type))?.[1];
      spec.ops.push({
        id: op.operationId ?? method + template, method: method.toUpperCase(), template, pattern: pattern(template),
        literals: template.replace(/\{[^}]*\}/g, '').length, names: [...template.matchAll(/\{([^}]*)\}/g)].map((m) => m[1]),
        tag: op.tags?.[0] ?? '', summary: op.summary ?? '', deprecated: Boolean(op.deprecated), accept: accepted(op), isList: lists(op),
        query: parameters.filter((p) => p.in === 'query' && !['envelope', 'pretty'].includes(p.name)),
        schema: content?.schema, example: content?.example, bodyRequired: body?.required !== false,
      });
    }
  }
}

// Finds an operation by its operationId, which no dialect changes.
export const opNamed = (id) => spec.ops.find((op) => op.id === id);

// The document's texts about an operation and about a tag, unchanged.
export const documented = {
  operation: (op) => whole.paths?.[op.template === '' ? spec.api : op.template]?.[op.method.toLowerCase()] ?? {},
  tag: (name) => whole.tags?.find((t) => t.name === name)?.description ?? '',
};

// The endpoint sets, by method and template. limits: the answer of listRateLimits.
export function readSets(limits) {
  for (const set of limits ?? [])
    for (const e of set.endpoints ?? []) spec.sets.set(e.method + ' ' + e.path.slice(e.path.indexOf(spec.api) + spec.api.length), set);
}
export const setOf = (method, template) => spec.sets.get(method + ' ' + template);
export const pathOfSet = (set) => (opNamed('listRateLimits')?.template ?? '') + '/' + segment(set.endpointSetId);

// Finds the template of a path without query, and the values of its parameters. Literals match before parameters.
export function match(path, method = 'GET') {
  let best;
  if (isRefused(path)) return undefined;
  for (const op of spec.ops) {
    if (op.method !== method || (best && best.op.literals >= op.literals)) continue;
    const m = op.pattern.exec(path);
    if (m) best = { op, params: Object.fromEntries(op.names.map((n, i) => [n, decode(m[i + 1])])) };
  }
  return best;
}

// The actions at a path, apart from reading it: here, and right below it at a name that is not a parameter.
export function actions(path) {
  const here = [], below = [];
  if (isRefused(path)) return { here, below };
  const templates = new Set(spec.ops.filter((op) => op.pattern.test(path)).map((op) => op.template));
  for (const op of spec.ops) {
    if (op.method === 'GET') continue;
    if (templates.has(op.template) && match(path, op.method)?.op === op) here.push(op);
    for (const t of templates) {
      const rest = op.template.startsWith(t) ? op.template.slice(t.length) : '';
      if (/^[/:][^{]+$/.test(rest) && match(path)?.op.template === t) below.push({ ...op, rest });
    }
  }
  return { here, below };
}

// The page of a value of this name, such as the project of a groupId: the shortest path that needs only this parameter.
export function pathOf(name, value) {
  const op = spec.ops.find((o) => o.method === 'GET' && o.names.length === 1 && o.names[0] === name && o.template.endsWith('/{' + name + '}'));
  return op ? fill(op.template, { [name]: value }) : null;
}

// A link of the service as a path below its root; null: it leads elsewhere. Its host may be another name of this one.
export function pathOfLink(href) {
  if (isRefused(href.replace(/^[a-z]+:\/\/[^/]*/i, '').split('#')[0])) return null;
  const u = URL.parse ? URL.parse(href, location.href) : new URL(href, location.href);
  if (!u || !/^https?:$/.test(u.protocol) || !(u.pathname + '/').startsWith(spec.linked + '/')) return null;
  return (u.pathname.slice(spec.linked.length) || '/') + u.search;
}

// The name of a link: its rel is a word, or a URL that ends in one.
export function nameOfLink(rel) {
  const path = rel.replace(/^https?:\/\/[^/]+/, ''), before = spec.linked.slice(0, spec.linked.length - spec.api.length) + '/';
  return path === rel ? rel : path.startsWith(before) ? path.slice(before.length) : path.slice(1);
}
