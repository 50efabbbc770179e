// The API reference, from the OpenAPI document that the page has already read: #/~reference lists every operation by area, and #/~reference/OPERATION shows
// one: description, roles, limit, versions, parameters, fields of the body and of the answer, errors, code in four languages, and a way to try it.
//
// It sends no requests. Nested fields are drawn when they are opened, because some schemas contain themselves.

import { breakable, decode, el, newId, plural, put, sheet, words } from './dom.js';
import * as api from './api.js';
import { segment } from './address.js';
import { fill, hrefAt, opNamed, schemaOf, setOf, pathOfSet, spec, documented, follow } from './spec.js';
import { areaOf, names as areaNames, nounOf, placeOf } from './areas.js';
import { ticked } from './form.js';
import { codeOf } from './code.js';
import * as nav from './nav.js';

const methodBadge = (op) => el('span', { class: 'method ' + op.method.toLowerCase() }, op.method);
const pathNode = (op) => el('code', { class: 'path' }, breakable(op.template || '/'));
const linkTo = (op) => '#/~reference/' + segment(op.id);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// ---- all operations

// Words that must all be in an operation's names, path or description.
function filtered(text) {
  const parts = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return spec.ops.filter((op) => { const hay = [op.id, words(op.id), op.method, op.template, op.tag, op.summary].join(' ').toLowerCase(); return parts.every((w) => hay.includes(w)); });
}

function group(area, ops, isOpen) {
  const place = el('div', {}), tags = new Map();
  for (const op of [...ops].sort((a, b) => placeOf(a) - placeOf(b))) tags.set(op.tag, [...(tags.get(op.tag) ?? []), op]);
  const draw = () => put(place, [...tags].map(([tag, all]) => el('section', {}, el('h3', {}, capital(tag || 'Service')), el('p', { class: 'muted' }, ticked(documented.tag(tag))),
    el('ul', { class: 'ops' }, all.map((op) => el('li', {}, el('a', { href: linkTo(op) }, methodBadge(op), pathNode(op), el('span', { class: 'what' }, words(op.id), op.deprecated ? ' (deprecated)' : ''))))))));
  const fold = el('details', { class: 'refarea', open: isOpen, ontoggle: () => { if (fold.open && !place.firstChild) draw(); } }, el('summary', {}, el('h2', {}, area), el('span', { class: 'muted' }, plural(ops.length, 'operation'))), place);
  if (isOpen) draw();
  return fold;
}

function index(place) {
  const id = newId('find'), list = el('div', {}), count = el('p', { class: 'muted', role: 'status' });
  const draw = (text) => {
    const found = filtered(text), by = areaNames.map((area) => [area, found.filter((op) => areaOf(op) === area)]).filter(([, ops]) => ops.length);
    count.textContent = found.length ? plural(found.length, 'operation') + (text.trim() ? ' of ' + spec.ops.length : '') : 'No operation has all of these words.';
    put(list, by.map(([area, ops]) => group(area, ops, Boolean(text.trim()) && found.length <= 60)));
  };
  put(place, el('p', {}, 'Every operation of ', el('strong', {}, spec.title || 'the service'), ', below ', el('code', {}, spec.linked || '/'), '. The same as a document: ', el('a', { href: new URL('openapi.json', api.home).href }, 'openapi.json'), '.'),
    el('div', { class: 'row find' }, el('label', { for: id }, 'Search operations'), el('input', { id, type: 'search', autocomplete: 'off', spellcheck: 'false', placeholder: 'create cluster', oninput: (e) => draw(e.target.value) })), count, list);
  draw('');
}

// ---- fields

// A schema in a few words.
function typeOf(s) {
  const any = s.oneOf ?? s.anyOf;
  if (s.type === 'array') return 'list of ' + typeOf(schemaOf(s.items));
  if (any) return any.map((o) => typeOf(schemaOf(o))).filter((t, i, all) => all.indexOf(t) === i).join(' or ');
  if (s.format === 'hex24') return 'id';
  if (s.format === 'date-time') return 'time';
  return [].concat(s.type ?? (s.properties ? 'object' : 'any')).join(' or ');
}
function boundsOf(s) {
  const all = [];
  if (s.minimum !== undefined || s.maximum !== undefined) all.push([s.minimum, s.maximum].map((v) => v ?? '…').join(' to '));
  if (s.minLength || s.maxLength !== undefined) all.push((s.minLength ?? 0) + ' to ' + (s.maxLength ?? '…') + ' characters');
  if (s.default !== undefined) all.push('default ' + JSON.stringify(s.default));
  return all;
}
function valuesOf(s) {
  const all = (s.type === 'array' ? schemaOf(s.items) : s).enum;
  if (!all) return null;
  const codes = all.map((v) => el('code', {}, String(v))), list = el('span', { class: 'values' }, codes.flatMap((c, i) => (i ? [' ', c] : [c])));
  return all.length > 12 ? el('details', {}, el('summary', {}, plural(all.length, 'value')), list) : list;
}
// The objects with a schema's fields: itself, its elements, or its variants.
function insides(s) {
  const of = s.type === 'array' ? schemaOf(s.items) : s;
  return of.properties ? [of] : (of.oneOf ?? of.anyOf ?? []).map((o) => schemaOf(o)).filter((o) => o.properties);
}

function fields(s, isRequest) {
  return insides(s).map((o, i, all) => el('div', {}, all.length > 1 ? el('p', { class: 'muted' }, o.title ?? 'Variant ' + (i + 1)) : null, el('dl', { class: 'fields' }, Object.entries(o.properties).filter(([name, f]) => name !== 'links' && !(isRequest ? schemaOf(f).readOnly : schemaOf(f).writeOnly))
    .map(([name, raw]) => {
      const f = schemaOf(raw), place = el('div', {}), fold = insides(f).length ? el('details', { class: 'inner', ontoggle: () => { if (fold.open && !place.firstChild) put(place, fields(f, isRequest)); } }, el('summary', {}, 'Fields of ' + name), place) : null;
      return el('div', {}, el('dt', {}, el('code', {}, breakable(name)), el('span', { class: 'muted' }, typeOf(f)), isRequest && o.required?.includes(name) ? el('span', { class: 'badge' }, 'required') : null, f.deprecated ? el('span', { class: 'badge' }, 'deprecated') : null),
        el('dd', {}, f.description ? el('p', {}, ticked(f.description)) : null, boundsOf(f).length ? el('p', { class: 'muted' }, boundsOf(f).join(', ')) : null, valuesOf(f), fold));
    }))));
}

// ---- one operation

// The last sentences of a description are about role and bucket: they are in a table of their own.
function split(description) {
  const needs = /\s*(Needs (?:the|one of the|no)? ?[^.]*\.)/.exec(description), draws = /\s*Draws from [^.]*\./.exec(description);
  return { text: description.replace(needs?.[0] ?? '', '').replace(draws?.[0] ?? '', '').trim(), needs: needs?.[1] ?? '' };
}

function limitOf(op) {
  const set = setOf(op.method, op.template), value = (v) => v?.value ?? v;
  if (!set) return null;
  return [el('a', { href: '#' + pathOfSet(set) }, set.endpointSetName), ': ' + value(set.capacity) + ' requests per ' + ({ GROUP: 'project' }[set.scope] ?? set.scope.toLowerCase()) + ', ' + value(set.refillRate) + ' more every ' + value(set.refillDurationSeconds) + ' seconds'];
}

// The versions of the answer, by media type, newest first: [{ date, sunset, schema }].
function versionsOf(raw) {
  const good = Object.entries(raw.responses ?? {}).find(([status]) => status[0] === '2')?.[1];
  return Object.entries(follow(good)?.content ?? {}).map(([type, c]) => ({ date: /(\d{4}-\d\d-\d\d)/.exec(type)?.[1] ?? type, sunset: c['x-sunset'], schema: c.schema })).sort((a, b) => (a.date < b.date ? 1 : -1));
}
// Without the envelope that every answer may have.
const bare = (schema) => { const s = schemaOf(schema), first = schemaOf((s.oneOf ?? s.anyOf)?.[0]); return s.oneOf?.length === 2 && (s.oneOf[1].allOf?.length || s.oneOf[1].$ref) && first ? first : s; };

const section = (title, ...inside) => el('section', { class: 'refpart' }, el('h2', {}, title), inside);
const fact = (label, inside) => (inside === null || inside === undefined || inside === '' ? null : el('div', {}, el('dt', {}, label), el('dd', {}, inside)));

function parameters(raw) {
  const all = (raw.parameters ?? []).map(follow).filter((p) => p && !['envelope', 'pretty'].includes(p.name));
  return all.length ? section('Parameters', el('dl', { class: 'fields' }, all.map((p) => { const s = schemaOf(p.schema); return el('div', {}, el('dt', {}, el('code', {}, breakable(p.name)), el('span', { class: 'muted' }, p.in + ', ' + typeOf(s)), p.required ? el('span', { class: 'badge' }, 'required') : null),
    el('dd', {}, p.description ? el('p', {}, ticked(p.description)) : null, boundsOf(s).length ? el('p', { class: 'muted' }, boundsOf(s).join(', ')) : null, valuesOf(s))); }))) : null;
}

function answers(raw) {
  const versions = versionsOf(raw), place = el('div', {}), id = newId('version');
  const [status, good] = Object.entries(raw.responses ?? {}).find(([s]) => s[0] === '2') ?? [];
  const draw = (v) => { const s = bare(v?.schema), list = s.properties?.results ? schemaOf(s.properties.results) : null; put(place, list ? el('p', { class: 'muted' }, 'A list: each of its results has these fields.') : null, fields(list ?? s, false)); };
  if (status === undefined) return null;
  draw(versions[0]);
  return section('Answer', el('p', {}, el('code', {}, status), ' ', follow(good)?.description ?? ''),
    versions.length > 1 ? el('div', { class: 'row' }, el('label', { for: id }, 'Version'), el('select', { id, onchange: (e) => draw(versions[e.target.selectedIndex]) }, versions.map((v) => el('option', {}, v.date + (v.sunset ? ' (until ' + v.sunset + ')' : ''))))) : null, place);
}

const MEANS = { 400: 'A parameter or a field is wrong; the answer names it.', 401: 'There are no valid credentials.', 402: 'The organization has no payment method.', 403: 'The caller lacks the role, or its address is not in the access list.', 404: 'The resource, or one that it belongs to, does not exist.',
  406: 'No version that the Accept header asks for exists.', 409: 'The state of the resource does not allow the request, or its name is taken.', 410: 'The version was removed.', 412: 'The resource has changed since it was read.', 413: 'The body is too large.', 415: 'The Content-Type is not JSON of a known version.', 429: 'The bucket is empty: wait as long as Retry-After says.' };
function errors(raw) {
  const all = Object.keys(raw.responses ?? {}).filter((s) => /^[45]/.test(s));
  return all.length ? section('Errors', el('div', { class: 'scroll' }, el('table', { 'aria-label': 'Errors' }, el('thead', {}, el('tr', {}, ['Status', 'Name', 'Meaning'].map((t) => el('th', { scope: 'col' }, t)))), el('tbody', {}, all.map((s) => el('tr', {}, el('td', {}, el('code', {}, s)), el('td', {}, follow(raw.responses[s])?.description ?? ''), el('td', {}, MEANS[s] ?? '')))))),
    el('p', { class: 'muted' }, 'The body of an error has errorCode, which programs can rely on, and detail, which people read.')) : null;
}

// Fills in the parameters that the console knows, and asks for the others.
function tryIt(op, context) {
  const known = nav.context(), id = newId('try'), to = (params) => (fill(op.template, params) || '/') + (op.method === 'GET' ? '' : '!' + op.id);
  return section('Try it', el('form', { class: 'row try', onsubmit: (e) => { e.preventDefault(); context.go(to(Object.fromEntries(op.names.map((n, i) => [n, e.target.elements[id + i].value.trim()])))); } },
    op.names.map((n, i) => el('span', { class: 'row' }, el('label', { for: id + i }, n), el('input', { id: id + i, name: id + i, type: 'text', required: true, autocomplete: 'off', spellcheck: 'false', value: known[n] ?? '' }))),
    el('button', { class: 'primary' }, op.method === 'GET' ? 'Show it' : 'Open the form')),
  op.method === 'GET' ? null : el('p', { class: 'muted' }, 'The form sends nothing until you confirm.'));
}

function code(op, raw) {
  const url = hrefAt(fill(op.template, { ...Object.fromEntries(op.names.map((n) => [n, n.toUpperCase()])), ...nav.context() }));
  return section('Code', codeOf(url, new URL('api/oauth/token', api.home).href, op.accept, { method: op.method, body: raw.requestBody ? op.example ?? {} : undefined }));
}

function operation(place, op, context) {
  const raw = documented.operation(op), { text, needs } = split(raw.description ?? op.summary), body = op.schema ? schemaOf(op.schema) : null, versions = versionsOf(raw).filter((v) => /^\d/.test(v.date));
  context.title(words(op.id));
  put(place, el('p', { class: 'refpath' }, methodBadge(op), pathNode(op), op.deprecated ? el('span', { class: 'badge' }, 'deprecated') : null), text ? el('p', { class: 'lead' }, ticked(text)) : null,
    el('dl', { class: 'reffacts' }, fact('Operation', el('code', {}, op.id)), fact('Resource', el('a', { href: '#/~reference' }, areaOf(op) + ': ' + nounOf(op))), fact('Roles', needs ? ticked(needs) : null), fact('Limit', limitOf(op)),
      fact('Versions', versions.length ? versions.map((v) => v.date + (v.sunset ? ' (until ' + v.sunset + ')' : '')).join(', ') : null)),
    tryIt(op, context), parameters(raw), body ? section('Body', raw.requestBody && op.bodyRequired ? null : el('p', { class: 'muted' }, 'The body is optional.'), fields(body, true)) : null, answers(raw), errors(raw), code(op, raw));
}

export async function open(place, rest, context) {
  await sheet('reference.css');
  if (!context.isCurrent()) return;
  const op = rest ? opNamed(decode(rest)) : null;
  if (op) operation(place, op, context);
  else if (rest) put(place, el('p', { class: 'empty' }, 'There is no operation ' + decode(rest) + '. '), el('a', { class: 'button', href: '#/~reference' }, 'All operations'));
  else index(place);
}
