// Answers of the service as tables: entities, lists, links and errors. The page treats all of it as text, whatever it contains.

import { el, muted, newId, plural, words, countdown, clock, breakable } from './dom.js';
import { segment } from './address.js';
import { DEEPEST } from './api.js';
import { match, nameOfLink, pathOf, pathOfLink, pathOfSet, setOf, spec } from './spec.js';
import { badge, fullTime, gauge, idOf, isBusy, isDate, isId, isObject, isState, LASTING, money, noteTimes, time } from './format.js';
import { columnsOf, NEWEST, valuesOf } from './columns.js';

const LONG = 3; // values of a cell; more are counted
const chosen = new Map(); // columns that the user chose for a list, by template
const sorted = new Map(); // { key, down } of a list, by template
const filtered = new Map(); // text of a filter, by path
export const names = new Map(); // ids and their names, as far as they were seen

const SEEN = 500;
export const seen = new Map(); // paths seen before: { title, kind }, the latest last

export function forget() {
  for (const m of [chosen, sorted, filtered, names, seen]) m.clear();
}

// The states of an answer that are still changing; [] if none.
export function unsettled(body, tag) {
  if (LASTING.has(tag)) return [];
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
  all.forEach(noteTimes);
  for (const o of all) if (isObject(o) && typeof o.id === 'string' && typeof o.name === 'string' && o.name !== '') names.set(o.id, o.name);
}

// Remembers resources, so that the search finds them by title. op: the operation of the answer; projects and organizations are found anyway.
export function remember(body, op, path) {
  const isList = Array.isArray(body) || Array.isArray(body?.results), all = Array.isArray(body) ? body : isList ? body.results : [body];
  if (['project', 'organization', 'event', 'rate limit', 'root'].includes(op.tag) || (!isList && !op.template.endsWith('}'))) return;
  for (const o of all.filter(isObject)) {
    const to = isList ? selfOf(o) ?? childOf(path, o) : path, title = titleOf(o);
    if (!to || !title || to.split('?')[0] !== to || (isList && to === path)) continue;
    seen.delete(to);
    seen.set(to, { title, kind: op.tag });
  }
  while (seen.size > SEEN) seen.delete(seen.keys().next().value);
}

function scalar(key, v) {
  if (v === null || v === undefined) return muted('none');
  if (typeof v === 'number' && /Cents$/.test(key)) return el('span', { class: 'value', title: v + ' cents' }, money(v));
  if (typeof v !== 'string') return el('span', { class: 'value' }, String(v));
  if (v === '') return muted('empty');
  if (isState(key)) return badge(v);
  if (isDate(v)) return fullTime(v);
  const path = key === 'href' ? pathOfLink(v) : /Id$/.test(key) && /^[\w.-]+$/.test(v) ? pathOf(key, v) : null;
  const link = path ? el('a', { href: '#' + path }, names.get(v) ?? v) : null;
  if (isId(key, v)) return idOf(v, link ?? el('code', {}, v));
  if (link) return link;
  return el('span', { class: /^(?=.*\d)[\w+/=.:-]{20,}$/.test(v) ? 'value code' : 'value' }, v);
}

const isFlat = (list) => list.every((o) => isObject(o) && !Array.isArray(o) && Object.entries(o).every(([k, v]) => k === 'links' || !isObject(v)));

function many(key, list) {
  if (list.every((v) => !isObject(v))) return el('ul', { class: 'values' }, list.map((v) => el('li', {}, scalar(key, v))));
  if (isFlat(list)) return grid(list, key);
  return el('ol', { class: 'parts' }, list.map((o) => el('li', {}, isObject(o) ? entity(o, key) : scalar(key, o))));
}

const hides = (key, v) => key === 'links' && Array.isArray(v);

// An object as a table of two columns, its name first; nested values follow in tables of their own, which can be folded.
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

function cell(key, v) {
  if (!isObject(v)) return scalar(key, v);
  const count = Array.isArray(v) ? v.length : Object.keys(v).length;
  if (!Array.isArray(v) && count === 1 && !isObject(Object.values(v)[0])) return scalar(key, Object.values(v)[0]); // {"value": 5}
  return count === 0 ? muted('none') : muted(plural(count, Array.isArray(v) ? 'item' : 'field'));
}

// A list inside of an entity, with the names of its fields.
function grid(list, label) {
  const fields = [...new Set(list.flatMap((o) => Object.keys(o)))].filter((k) => k !== 'links');
  return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, el('table', { class: 'list' },
    el('thead', {}, el('tr', {}, fields.map((k) => el('th', { scope: 'col' }, k)))),
    el('tbody', {}, list.map((o) => el('tr', {}, fields.map((k, i) => el(i === 0 ? 'th' : 'td', i === 0 ? { scope: 'row' } : {}, cell(k, o[k]))))))));
}

// The path of a list's element, if the element has no link to itself.
function childOf(path, o) {
  for (const key of ['id', 'name', 'username']) {
    if (typeof o?.[key] !== 'string') continue;
    const to = path + '/' + segment(o[key]);
    if (match(to)) return to;
  }
  return null;
}

// ---- lists

const textOf = (c, v) => (c.as === 'money' ? money(v) : isObject(v) ? JSON.stringify(v) : String(v));

function shown(c, v, tag) {
  if (c.as === 'state') return badge(String(v), tag);
  if (c.as === 'time') return time(v);
  if (c.as === 'gauge') return gauge(v, 'Used');
  if (c.as === 'money') return el('span', { class: 'value', title: v + ' cents' }, money(v));
  if (c.as === 'id') {
    const path = c.field ? pathOf(c.field, v) : null;
    return idOf(String(v), path ? el('a', { href: '#' + path }, names.get(v) ?? '…' + String(v).slice(-6)) : undefined);
  }
  return el('span', { class: 'value' }, names.get(v) ?? String(v));
}

export function cellOf(o, c, tag) {
  if (c.field) {
    const v = o[c.field];
    return v === undefined || v === null || v === '' ? muted('–') : isObject(v) || !c.as ? cell(c.field, v) : shown(c, v, tag);
  }
  const all = valuesOf(o, c.of);
  if (all.length === 0) return muted('–');
  const seen = all.slice(0, LONG).map((v) => shown(c, v, tag)), more = all.length - LONG;
  return all.length === 1 ? seen[0] : el('ul', { class: 'values', title: all.map((v) => textOf(c, v)).join('\n') }, seen.map((n) => el('li', {}, n)), more > 0 ? el('li', { class: 'muted' }, '+ ' + more) : null);
}

const isNumber = (c, rows) => c.as === 'money' || c.as === 'size' || rows.some((o) => { const v = c.field ? o[c.field] : valuesOf(o, c.of)[0]; return typeof v === 'number'; });

// Numbers are sorted by size, also with a unit; times by time; the rest as text. Unset values come last in both directions.
function compare(c, down) {
  const of = (o) => { const v = c.field ? o[c.field] : valuesOf(o, c.of)[0]; return v === '' || v === null ? undefined : v; };
  return (a, b) => {
    const x = of(a), y = of(b);
    if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
    const order = typeof x === 'number' && typeof y === 'number' ? x - y : textOf({}, x).localeCompare(textOf({}, y), 'en', { numeric: true });
    return down ? -order : order;
  };
}

function headOf(c, now, sort) {
  const is = now?.key === c.key, next = is && !now.down;
  return el('th', { scope: 'col', class: c.isNumber ? 'number' : null, 'aria-sort': is ? (now.down ? 'descending' : 'ascending') : 'none' },
    el('button', { type: 'button', class: 'sort', title: (c.field ?? c.head) + ': sort', 'data-f': 'sort ' + c.key, onclick: () => sort({ key: c.key, down: next }) }, c.head));
}

function rowOf(o, columns, { tag, path }) {
  const to = selfOf(o) ?? childOf(path, o);
  return el('tr', {}, columns.map((c, i) => {
    const isLink = i === 0 && to && to.split('?')[0] !== path, first = c.field ? o[c.field] : valuesOf(o, c.of)[0];
    const inside = !isLink ? cellOf(o, c, tag) : el('a', { href: '#' + to }, c.as === 'time' && isDate(first) ? time(first)
      : isObject(first) || first === undefined || first === null || first === '' ? 'open' : names.get(first) ?? textOf(c, first));
    return el(i === 0 ? 'th' : 'td', { scope: i === 0 ? 'row' : null, class: c.isNumber ? 'number' : null }, inside);
  }));
}

function chooser(all, picked, change) {
  return el('details', { class: 'columns', 'data-f': 'columns' }, el('summary', {}, 'Columns'),
    el('div', { class: 'checks' }, all.map((c) => {
      const id = newId('column'), keys = picked.map((x) => x.key);
      return el('span', {}, el('input', { type: 'checkbox', id, 'data-f': 'column ' + c.key, checked: keys.includes(c.key),
        onchange: (e) => change(e.target.checked ? [...keys, c.key] : keys.filter((k) => k !== c.key)) }), el('label', { for: id }, c.field ?? c.head));
    })));
}

function pager(body) {
  const pages = Array.isArray(body) ? [] : ['previous', 'next'].map((rel) => {
    const href = body.links?.find?.((l) => l.rel === rel)?.href, to = href && pathOfLink(href);
    return to ? el('a', { class: 'button', href: '#' + to, rel: rel === 'next' ? 'next' : 'prev' }, rel === 'next' ? 'Next page' : 'Previous page') : null;
  });
  return pages.some(Boolean) ? el('nav', { class: 'row', 'aria-label': 'Pages' }, pages) : null;
}

// The service lists the oldest entries first: the newest of a long list are on its last page.
function newest(path, size, total) {
  return el('p', {}, el('a', { href: '#' + path + '?includeCount=true&pageNum=' + Math.ceil(total / size) }, 'The newest entries are on the last page.'));
}

// The filter hides rows that are already loaded; it sends no request.
function filterBox(path, lines, count, none) {
  const apply = () => {
    const wanted = (filtered.get(path) ?? '').trim().toLowerCase().split(/\s+/);
    let n = 0;
    for (const { row, text } of lines) { const fits = wanted.every((w) => text.includes(w)); row.hidden = !fits; n += fits; }
    none.hidden = n > 0;
    count(n);
  };
  const id = newId('filter'), box = el('input', { id, type: 'search', class: 'narrowing', placeholder: 'Filter this page', autocomplete: 'off', spellcheck: 'false', 'data-f': 'filter', value: filtered.get(path) ?? '',
    oninput: (e) => { filtered.set(path, e.target.value); apply(); } });
  apply();
  return [el('label', { class: 'off', for: id }, 'Filter this list'), box];
}

// A list with its filter, columns and paging. body: { results, links, totalCount }, or an array. op: its operation.
export function list(body, path, op, redraw) {
  const rows = Array.isArray(body) ? body : body.results, total = body.totalCount, { template, tag } = op;
  const label = words(path.split('/').pop() || 'list');
  if (rows.length === 0) return el('p', { class: 'empty' }, 'There is nothing in this list', total ? ' on this page.' : '.');
  if (!rows.every((o) => isObject(o) && !Array.isArray(o))) return el('div', {}, many(label, rows));
  const { all, best } = columnsOf(rows, tag), keys = chosen.get(template), picked = keys ? all.filter((c) => keys.includes(c.key)) : best;
  const columns = (picked.length ? picked : all.slice(0, 1)).map((c) => ({ ...c, isNumber: isNumber(c, rows) })), now = sorted.get(template) ?? (NEWEST[tag] ? { key: NEWEST[tag], down: true } : undefined), by = now && all.find((c) => c.key === now.key);
  const order = by ? [...rows].sort(compare(by, now.down)) : rows;
  const lines = order.map((o) => { const row = rowOf(o, columns, { tag, path }); return { row, text: [row.textContent, ...[...row.querySelectorAll('[title]')].map((e) => e.title)].join(' ').toLowerCase() }; });
  const counted = el('span', { class: 'muted' }), none = el('p', { class: 'empty', hidden: true }, 'No entry of this page matches.');
  const count = (n) => { counted.textContent = n < rows.length ? n + ' of ' + plural(rows.length, 'entry', 'entries') : total > rows.length ? rows.length + ' of ' + plural(total, 'entry', 'entries') : plural(rows.length, 'entry', 'entries'); };
  const filter = rows.length > 1 ? filterBox(path, lines, count, none) : count(rows.length);
  return el('div', {}, el('div', { class: 'row between tools' }, el('div', { class: 'row' }, filter, counted), chooser(all, columns, (to) => { chosen.set(template, to); redraw(); })),
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, el('table', { class: 'list' },
      el('thead', {}, el('tr', {}, columns.map((c) => headOf(c, now, (to) => { sorted.set(template, to); redraw(); })))),
      el('tbody', {}, lines.map((l) => l.row)))), none, pager(body), NEWEST[tag] && total > rows.length ? newest(path, rows.length, total) : null);
}

// The links of an entity, by their names.
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

// ---- errors

const TITLES = { 0: 'No connection', 400: 'The request is invalid', 401: 'Not authorized', 402: 'Payment required', 403: 'You may not do this', 404: 'Not found',
  409: 'The request conflicts with the present state', 429: 'Too many calls: a limit refused this one' };

const fact = (name, ...value) => [el('dt', {}, name), el('dd', {}, ...value)];

function limited(a, method, template) {
  const set = setOf(method, template), p = a.body?.parameters ?? [], wait = Number(a.headers.get('Retry-After') ?? 1);
  const left = el('strong', { 'aria-live': 'off' }); // it changes every second, too often for screen readers
  return { wait, left, facts: [
    set ? fact('Endpoint set', el('a', { href: '#' + pathOfSet(set) }, set.endpointSetName), ' (' + set.scope.toLowerCase() + ')') : null,
    fact('Bucket', (a.headers.get('RateLimit-Remaining') ?? '0') + ' of ' + (a.headers.get('RateLimit-Limit') ?? p[2] ?? '?') + ' tokens left',
      p.length >= 5 ? ', ' + p[3] + ' more every ' + p[4] + ' s' : ''),
    fact('Again', left)] };
}

// An error, by its kind. retry: the action of the button.
export function problem(a, { method = 'GET', template = '', retry } = {}) {
  const b = a.body ?? (a.isDeep ? { detail: 'The answer has more than ' + DEEPEST + ' levels, one inside of the other. The console does not draw it; use curl to read it.' } : {}), title = a.isDeep ? 'The answer is nested too deeply' : TITLES[a.status] ?? (a.status >= 500 ? 'The service failed' : 'The request was refused');
  const limit = a.status === 429 ? limited(a, method, template) : null;
  const missing = a.status === 403 && b.parameters?.length ? fact('Required', b.parameters.map(String).join(', ')) : null;
  const fields = b.badRequestDetail?.fields ?? [];
  const button = retry && (a.status === 0 || a.status === 429 || a.status >= 500) ? el('button', { type: 'button', onclick: retry }, 'Try again') : null;
  const box = el('div', { class: 'problem', role: 'alert', 'data-status': a.status },
    el('h2', {}, title),
    el('p', {}, a.status === 0 ? 'No answer from ' + location.host + ', at ' + clock(a.at) + '.' + (method === 'GET' ? '' : ' The request may have been performed.' + (method === 'POST' ? ' Trying again is safe: it is not performed twice.' : '')) : b.detail ?? b.error_description ?? 'The service gives no reason.'),
    el('dl', {}, a.status ? fact('Status', a.status + (b.reason ? ' ' + b.reason : '')) : null, b.errorCode ? fact('Error', el('code', {}, b.errorCode)) : null, missing, limit?.facts,
      fields.length ? fact(fields.length === 1 ? 'Field' : 'Fields', el('ul', { class: 'plain' }, fields.map((f) => el('li', {}, el('code', {}, f.field), ' ' + f.description)))) : null),
    button ? el('div', { class: 'row' }, button) : null);
  if (limit) countdown(box, a.at + a.ms + 1000 * limit.wait, (s) => {
    limit.left.textContent = s ? 'in ' + plural(s, 'second') : 'now';
    if (button) button.disabled = s > 0;
  });
  return box;
}

export { badge };
export const titleOfService = () => spec.title || 'The service';
