// The call log: every call with its status, duration and error; and the tokens left in each bucket, from the last answer of the service.

import { $, el, put, clock } from './dom.js';
import { events } from './api.js';
import { match, pathOfSet, setOf } from './spec.js';

const MOST = 200; // lines
const buckets = new Map();
let last = null; // the newest line, and the call that it shows

// A bucket belongs to an endpoint set and a project or organization. Buckets of users and addresses are always the caller's own.
function bucketOf(set, path, method) {
  const params = match(path.split('?')[0], method)?.params ?? {};
  const of = set.scope === 'GROUP' ? params.groupId : set.scope === 'ORGANIZATION' ? params.orgId : '';
  return { key: set.endpointSetName + ' ' + (of ?? ''), of: of ?? '' };
}

function drawBuckets() {
  const rows = [...buckets.values()].sort((a, b) => b.at - a.at).slice(0, 12);
  put($('limits'), el('table', { class: 'limits', 'aria-labelledby': 'limits-title' },
    el('thead', { class: 'off' }, el('tr', {}, ['Endpoint set', 'Left', 'Of'].map((t) => el('th', { scope: 'col' }, t)))),
    el('tbody', {}, rows.map((b) => el('tr', { class: b.left === 0 ? 'gone' : '' },
      el('th', { scope: 'row' }, b.set.endpointSetId ? el('a', { href: '#' + pathOfSet(b.set) }, b.set.endpointSetName) : b.set.endpointSetName,
        el('small', {}, b.set.scope.toLowerCase(), b.of ? ' ' + b.of.slice(-6) : '')),
      el('td', {}, el('meter', { min: 0, max: b.limit, low: b.limit / 4, optimum: b.limit, value: b.left, 'aria-label': 'Tokens left in ' + b.set.endpointSetName })),
      el('td', { class: 'number' }, b.left + ' of ' + b.limit))))));
}

function noteBucket({ method, path, template, answer }) {
  for (const [key, b] of buckets) if (b.early && setOf(b.early.method, b.early.template)) { buckets.delete(key); noteBucket(b.early); } // now it has a name
  const limit = answer.headers.get('RateLimit-Limit'), left = answer.headers.get('RateLimit-Remaining');
  if (limit === null || left === null) return;
  // before the endpoint sets are known, or if they cannot be read, the tokens are shown anyway
  const named = setOf(method, template), set = named ?? { endpointSetId: '', endpointSetName: template || '/', scope: '' };
  const { key, of } = bucketOf(set, path, method);
  buckets.set(key, { set, of, limit: Number(limit), left: Number(left), at: answer.at, early: named ? null : { method, path, template, answer } });
  drawBuckets();
}

// Repeated polling is one line with a counter.
function noteLine({ method, path, again, answer }) {
  const log = $('log'), took = Math.max(1, Math.round(answer.ms)) + ' ms', same = method + path + answer.status;
  if (again && last?.same === same && last.again) {
    last.count.textContent = ' × ' + ++last.n;
    last.time.textContent = clock(answer.at);
    last.took.textContent = took;
    return;
  }
  const kind = answer.status === 0 || answer.status >= 500 ? 'bad' : answer.status >= 400 ? 'warn' : 'good';
  last = { same, again, n: 1, count: el('span', {}), time: el('time', {}, clock(answer.at)), took: el('span', { class: 'took' }, took) };
  log.prepend(el('li', { class: kind }, el('div', { class: 'line' }, el('span', { class: 'status' }, answer.status || 'lost'), el('b', {}, method), last.time, last.took),
    el('div', { class: 'where' }, method === 'GET' ? el('a', { href: '#' + (path || '/') }, path || '/') : path, last.count),
    answer.why ? el('div', { class: 'why' }, answer.why) : null));
  while (log.children.length > MOST) log.lastChild.remove();
}

export function start() {
  events.addEventListener('call', (e) => {
    noteLine(e.detail);
    noteBucket(e.detail);
  });
}

export function forget() {
  buckets.clear();
  last = null;
  put($('log'));
  put($('limits'), el('p', { class: 'muted' }, 'None is known yet.'));
}
