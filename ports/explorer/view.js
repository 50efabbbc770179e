// What the service answers, as tables: entities, lists, links, and answers that are refusals. All of it is text to the page, whatever
// is in it.

import { el, newId, plural, words, countdown, clock, breakable } from './dom.js';
import { match, nameOfLink, pathOf, pathOfLink, pathOfSet, setOf, spec } from './spec.js';

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;
const COLUMNS = 6;
const chosen = new Map(); // which columns of a list somebody has chosen, by template
export const names = new Map(); // ids and what they are called, as far as they were seen

const isObject = (v) => v !== null && typeof v === 'object';
const isState = (key) => /^(state|status)(Name)?$|(State|Status)$/.test(key);
const isBusy = (v) => typeof v === 'string' && (/(^|_)(PENDING|QUEUED|REQUESTED|SUBMITTED)$|IN_?PROGRESS/i.test(v)
  || (/^[A-Z_]+ING$/.test(v) && !/^(RUNNING|SIMULATING|WORKING|TRACKING|STREAMING)$/.test(v)));
const isBad = (v) => /FAIL|ERROR|DEAD|EXPIRED|CANCEL|STALE|REJECT/i.test(v);
const isGood = (v) => /^(IDLE|ACTIVE|READY|AVAILABLE|COMPLETED?|SUCCE.*|STEADY|RUNNING|STARTED|APPLIED|CLOSED|OPEN|ENABLED|PAID)$/i.test(v);

export function badge(value) {
  const kind = isBusy(value) ? 'busy' : isBad(value) ? 'bad' : isGood(value) ? 'good' : '';
  return el('span', { class: 'badge ' + kind }, value);
}

// The states of an answer that are not settled: [] when all is.
export function unsettled(body) {
  const all = Array.isArray(body) ? body : Array.isArray(body?.results) ? body.results : isObject(body) ? [body] : [];
  return all.flatMap((o) => Object.entries(isObject(o) ? o : {}).filter(([k, v]) => isState(k) && isBusy(v)).map(([, v]) => v));
}

export const stateOf = (o) => Object.entries(o).find(([k, v]) => isState(k) && typeof v === 'string')?.[1];
export const titleOf = (o) => [o.name, o.username, o.clusterName, o.label, o.desc, o.title, o.clientId, o.hostname, o.id, o.indexName, o.endpointSetName]
  .find((v) => typeof v === 'string' && v !== '');

export const selfOf = (o) => {
  const href = o?.links?.find?.((l) => l?.rel === 'self')?.href;
  return typeof href === 'string' ? pathOfLink(href) : null;
};

export function learn(body) {
  const all = Array.isArray(body) ? body : Array.isArray(body?.results) ? body.results : [body];
  for (const o of all) if (isObject(o) && typeof o.id === 'string' && typeof o.name === 'string' && o.name !== '') names.set(o.id, o.name);
}

const muted = (text) => el('span', { class: 'muted' }, text);

function scalar(key, v) {
  if (v === null || v === undefined) return muted('none');
  if (typeof v !== 'string') return el('span', { class: 'value' }, String(v));
  if (v === '') return muted('empty');
  if (isState(key)) return badge(v);
  if (DATE.test(v)) return el('time', { datetime: v, title: new Date(v).toLocaleString() }, v.replace('T', ' ').replace('Z', ' UTC'));
  const path = key === 'href' ? pathOfLink(v) : /Id$/.test(key) && /^[\w.-]+$/.test(v) ? pathOf(key, v) : null;
  if (path) return el('a', { href: '#' + path }, v);
  return el('span', { class: /^(?=.*\d)[\w+/=.:-]{20,}$/.test(v) ? 'value code' : 'value' }, v);
}

const isFlat = (list) => list.every((o) => isObject(o) && !Array.isArray(o) && Object.entries(o).every(([k, v]) => k === 'links' || !isObject(v)));

function many(key, list) {
  if (list.every((v) => !isObject(v))) return el('ul', { class: 'values' }, list.map((v) => el('li', {}, scalar(key, v))));
  if (isFlat(list)) return table(list, columnsOf(list).all, { label: key });
  return el('ol', { class: 'parts' }, list.map((o) => el('li', {}, isObject(o) ? entity(o, key) : scalar(key, o))));
}

const hides = (key, v) => key === 'links' && Array.isArray(v);

// An object as a table of two columns, what it is called first; what it holds that is no single value follows in tables of its own, which can be folded.
export function entity(o, label) {
  const weigh = ([k, v]) => (isObject(v) && Object.keys(v).length > 0 ? 4 : k === 'name' ? 0 : k === 'id' ? 1 : isState(k) ? 2 : 3);
  const rows = Object.entries(o).filter(([k, v]) => !hides(k, v)).sort((a, b) => weigh(a) - weigh(b));
  if (Array.isArray(o)) return many(label, o);
  if (rows.length === 0) return muted('nothing in it');
  return el('table', { class: 'entity', 'aria-label': label ?? null }, el('colgroup', {}, el('col'), el('col')), el('tbody', {}, rows.map(([k, v]) => {
    const count = isObject(v) ? (Array.isArray(v) ? v.length : Object.keys(v).filter((n) => !hides(n, v[n])).length) : 0;
    if (!isObject(v) || count === 0) return el('tr', {}, el('th', { scope: 'row' }, breakable(k)), el('td', {}, isObject(v) ? muted('none') : scalar(k, v)));
    return el('tr', {}, el('td', { colspan: 2, class: 'nest' }, el('details', { open: true, 'data-f': k },
      el('summary', {}, k, ' ', muted(plural(count, Array.isArray(v) ? 'item' : 'field'))), Array.isArray(v) ? many(k, v) : entity(v, k))));
  })));
}

// Which columns a list has, and which of them say most: names first, then states and types, ids late, and what is the same for all last.
function columnsOf(list) {
  const all = [...new Set(list.flatMap((o) => (isObject(o) ? Object.keys(o) : [])))].filter((k) => k !== 'links');
  const flat = all.filter((k) => list.every((o) => !isObject(o?.[k])));
  const weigh = (k) => {
    if (/^(name|username|clusterName|endpointSetName|hostname|title)$/.test(k)) return 0;
    if (isState(k)) return 1;
    if (/(type|TypeName|kind|scope|role|RoleName|providerName|severity)$/i.test(k)) return 2;
    if (/^(id|.*SetId|clientId|publicKey)$/.test(k)) return 3;
    if (/^(created|createDate|createdAt|updated|time|date)/i.test(k)) return 4;
    if (list.length > 1 && list.every((o) => o?.[k] === list[0]?.[k])) return 7;
    return /Id$/.test(k) ? 6 : 5;
  };
  const best = [...flat].sort((a, b) => weigh(a) - weigh(b)).slice(0, COLUMNS);
  return { all: [...best, ...all.filter((k) => !best.includes(k))], best };
}

function cell(key, v) {
  if (!isObject(v)) return scalar(key, v);
  const count = Array.isArray(v) ? v.length : Object.keys(v).length;
  if (!Array.isArray(v) && count === 1 && !isObject(Object.values(v)[0])) return scalar(key, Object.values(v)[0]); // {"value": 5}
  return count === 0 ? muted('none') : muted(plural(count, Array.isArray(v) ? 'item' : 'field'));
}

function table(list, columns, { label, path }) {
  const linked = (o, k, i) => {
    const to = i === 0 && path !== undefined ? selfOf(o) ?? childOf(path, o) : null;
    return to && to.split('?')[0] !== path ? el('a', { href: '#' + to }, isObject(o[k]) || o[k] === undefined ? 'open' : String(o[k]) || 'open') : cell(k, o[k]);
  };
  return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
    el('table', { class: 'list' },
      el('thead', {}, el('tr', {}, columns.map((k) => el('th', { scope: 'col' }, k)))),
      el('tbody', {}, list.map((o) => el('tr', {}, columns.map((k, i) => el(i === 0 ? 'th' : 'td', i === 0 ? { scope: 'row' } : {}, linked(o, k, i))))))));
}

// Where one of a list is, if it does not say so itself.
function childOf(path, o) {
  for (const key of ['id', 'name', 'username']) {
    if (typeof o?.[key] !== 'string') continue;
    const to = path + '/' + encodeURIComponent(o[key]);
    if (match(to)) return to;
  }
  return null;
}

// A list with its paging. body: { results, links, totalCount }, or an array.
export function list(body, path, template, redraw) {
  const rows = Array.isArray(body) ? body : body.results, total = body.totalCount;
  const label = words(path.split('/').pop() || 'list');
  if (rows.length === 0) return el('p', { class: 'empty' }, 'There is nothing in this list', total ? ' on this page.' : '.');
  if (!rows.every((o) => isObject(o) && !Array.isArray(o))) return el('div', {}, many(label, rows));
  const { all, best } = columnsOf(rows), shown = all.filter((k) => (chosen.get(template) ?? best).includes(k));
  const choose = el('details', { class: 'columns', 'data-f': 'columns' }, el('summary', {}, 'Columns'),
    el('div', { class: 'checks' }, all.map((k) => {
      const id = newId('column');
      return el('span', {}, el('input', { type: 'checkbox', id, 'data-f': 'column ' + k, checked: shown.includes(k), onchange: (e) => {
        chosen.set(template, e.target.checked ? [...shown, k] : shown.filter((x) => x !== k));
        redraw();
      } }), el('label', { for: id }, k));
    })));
  const pages = Array.isArray(body) ? [] : ['previous', 'next'].map((rel) => {
    const href = body.links?.find((l) => l.rel === rel)?.href, to = href && pathOfLink(href);
    return to ? el('a', { class: 'button', href: '#' + to, rel: rel === 'next' ? 'next' : 'prev' }, rel === 'next' ? 'Next page' : 'Previous page') : null;
  });
  const counted = total === undefined ? plural(rows.length, 'entry', 'entries') : total > rows.length ? rows.length + ' of ' + plural(total, 'entry', 'entries') : plural(total, 'entry', 'entries');
  return el('div', {}, el('div', { class: 'row between' }, el('span', { class: 'muted' }, counted), choose),
    table(rows, shown.length ? shown : all.slice(0, 1), { label, path }),
    pages.some(Boolean) ? el('nav', { class: 'row', 'aria-label': 'Pages' }, pages) : null);
}

// The links of an entity, by what they are called.
export function links(body, path) {
  const all = (Array.isArray(body?.links) ? body.links : []).map((l) => ({ to: typeof l?.href === 'string' ? pathOfLink(l.href) : null, rel: String(l?.rel ?? '') }))
    .filter((l) => l.to && l.to !== path && !/^(self|next|previous)$/.test(l.rel))
    .map((l) => ({ ...l, rel: nameOfLink(l.rel) })).sort((a, b) => a.rel.localeCompare(b.rel));
  if (all.length === 0) return null;
  const id = newId('filter'), items = all.map((l) => el('li', {}, el('a', { href: '#' + l.to }, breakable(l.rel))));
  const filter = (e) => items.forEach((li) => { li.hidden = !li.textContent.toLowerCase().includes(e.target.value.trim().toLowerCase()); });
  return el('nav', { class: 'card links', 'aria-labelledby': id + '-title' },
    el('div', { class: 'row between' }, el('h2', { id: id + '-title' }, 'Links'), all.length > 12 ? el('span', {},
      el('label', { class: 'off', for: id }, 'Filter links'), el('input', { id, type: 'search', placeholder: 'Filter', autocomplete: 'off', oninput: filter })) : null),
    el('ul', {}, items));
}

// ---- refusals

const TITLES = { 0: 'No connection', 400: 'The request cannot be taken as it is', 401: 'Not authorized', 402: 'Payment is needed', 403: 'You may not do this', 404: 'There is no such thing',
  409: 'That conflicts with what is there', 429: 'Too many calls: a limit refused this one' };

const fact = (name, ...value) => [el('dt', {}, name), el('dd', {}, ...value)];

function limited(a, method, template) {
  const set = setOf(method, template), p = a.body?.parameters ?? [], wait = Number(a.headers.get('Retry-After') ?? 1);
  const left = el('strong', { 'aria-live': 'off' }); // it changes every second, which nobody wants to hear
  return { wait, left, facts: [
    set ? fact('Endpoint set', el('a', { href: '#' + pathOfSet(set) }, set.endpointSetName), ' (' + set.scope.toLowerCase() + ')') : null,
    fact('Bucket', (a.headers.get('RateLimit-Remaining') ?? '0') + ' of ' + (a.headers.get('RateLimit-Limit') ?? p[2] ?? '?') + ' tokens left',
      p.length >= 5 ? ', ' + p[3] + ' more every ' + p[4] + ' s' : ''),
    fact('Again', left)] };
}

// An answer that is no success, as what it is. retry: what the button does.
export function problem(a, { method = 'GET', template = '', retry } = {}) {
  const b = a.body ?? {}, title = TITLES[a.status] ?? (a.status >= 500 ? 'The service failed' : 'The request was refused');
  const limit = a.status === 429 ? limited(a, method, template) : null;
  const missing = a.status === 403 && b.parameters?.length ? fact('It asks for', b.parameters.map(String).join(', ')) : null;
  const fields = b.badRequestDetail?.fields ?? [];
  const button = retry && (a.status === 0 || a.status === 429 || a.status >= 500) ? el('button', { type: 'button', onclick: retry }, 'Try again') : null;
  const box = el('div', { class: 'problem', role: 'alert', 'data-status': a.status },
    el('h2', {}, title),
    el('p', {}, a.status === 0 ? 'Nobody answered at ' + location.host + ', at ' + clock(a.at) + '.' + (method === 'GET' ? '' : ' What was asked may have been done.' + (method === 'POST' ? ' To try again is safe: it is not done twice.' : '')) : b.detail ?? b.error_description ?? 'The service gives no reason.'),
    el('dl', {}, a.status ? fact('Status', a.status + (b.reason ? ' ' + b.reason : '')) : null, b.errorCode ? fact('Error', el('code', {}, b.errorCode)) : null, missing, limit?.facts,
      fields.length ? fact(fields.length === 1 ? 'Field' : 'Fields', el('ul', { class: 'plain' }, fields.map((f) => el('li', {}, el('code', {}, f.field), ' ' + f.description)))) : null),
    button ? el('div', { class: 'row' }, button) : null);
  if (limit) countdown(box, a.at + a.ms + 1000 * limit.wait, (s) => {
    limit.left.textContent = s ? 'in ' + plural(s, 'second') : 'now';
    if (button) button.disabled = s > 0;
  });
  return box;
}

export const titleOfService = () => spec.title || 'The service';
