// The page of one resource, in tabs: the most important facts (Overview), all its fields (Settings), the targets of its links (Related), what happened
// (Events), and the answer as JSON and as code. A tab is created when it is opened, except for tabs whose text the page's search must find.
//
// The address has the tab (?tab=metrics), so a reload and Back return to it. TABS lists the tabs of each resource.
//
// The further requests of an overview (alerts, counts, costs) are sent once per visit. If one is refused, its card is left out: not every caller may read
// bills.

import { el, newId, plural, put } from './dom.js';
import * as api from './api.js';
import { fill, hrefAt, opNamed, spec } from './spec.js';
import * as view from './view.js';
import { badge, copyButton, isObject, money } from './format.js';
import { columnsOf, TABLE, valuesOf } from './columns.js';
import { block, codeOf } from './code.js';

// ---- tabs

const keyOf = (name) => name.toLowerCase(); // the name of a tab in the address

// tabs: [{ name, make, eager, keep }]; make() creates the node, once. before: the tabs of an earlier draft of the same page, whose panels with "keep" stay.
// moved(key, isStep): updates the address. Returns { node, show(key), current(), panels }.
function tabbed(tabs, first, before, moved) {
  const id = newId('tab'), made = new Set();
  let now = '';
  const panels = tabs.map((t, i) => el('div', { role: 'tabpanel', id: id + '-panel-' + i, 'aria-labelledby': id + '-' + i, hidden: true, class: 'panel', 'data-tab': t.name }));
  const buttons = tabs.map((t, i) => el('button', { type: 'button', role: 'tab', id: id + '-' + i, 'aria-controls': id + '-panel-' + i, 'data-f': 'tab ' + t.name, onclick: () => turn(i, false) }, t.name));
  function show(key) {
    const at = Math.max(0, tabs.findIndex((t) => keyOf(t.name) === key));
    now = tabs[at].name;
    if (!made.has(now)) { made.add(now); put(panels[at], tabs[at].make()); }
    tabs[at].shown?.();
    buttons.forEach((b, i) => { b.setAttribute('aria-selected', String(i === at)); b.tabIndex = i === at ? 0 : -1; });
    panels.forEach((p, i) => { p.hidden = i !== at; });
  }
  function turn(i, isStep) {
    show(keyOf(tabs[i].name));
    moved(i ? keyOf(now) : '', isStep);
  }
  const bar = el('div', { role: 'tablist', class: 'tablist', 'aria-label': 'Views', onkeydown: (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key], to = e.key === 'Home' ? 0 : e.key === 'End' ? tabs.length - 1 : step ? (tabs.findIndex((t) => t.name === now) + step + tabs.length) % tabs.length : -1;
    if (to < 0) return;
    e.preventDefault();
    turn(to, true);
    buttons[to].focus();
  } }, buttons);
  for (const [i, t] of tabs.entries()) {
    const kept = t.keep ? before?.panels.get(t.name) : undefined;
    if (kept) panels[i].append(...kept.childNodes);
    else if (t.eager) put(panels[i], t.make());
    if (kept?.isMade || t.eager) made.add(t.name);
  }
  show(first);
  return { node: el('div', { class: 'tabbed' }, bar, panels), show, current: () => keyOf(now), get panels() { panels.forEach((p, i) => { p.isMade = made.has(tabs[i].name); }); return new Map(panels.map((p) => [p.dataset.tab, p])); } };
}

// ---- cards

const card = (label, ...inside) => el('div', { class: 'fact' }, el('dt', {}, label), el('dd', {}, inside));
const number = (n, to) => (to ? el('a', { class: 'big', href: '#' + to }, String(n)) : el('span', { class: 'big' }, String(n)));

// Sends a request by operationId. Returns the answer of api.call() and its path; undefined: the service has no such operation.
export async function asked(id, params, query = '', more = {}) {
  const op = opNamed(id);
  if (!op) return undefined;
  const path = fill(op.template, params);
  return { path, op, ...await api.call('GET', spec.base, path + (query ? '?' + query : ''), { template: op.template, accept: op.accept, ...more }) };
}
// The same, for good answers only; undefined: it was refused.
export async function ask(id, params, query) {
  const a = await asked(id, params, query);
  return a?.ok ? a : undefined;
}
async function countOf(id, params, query = '') {
  const a = await ask(id, params, 'itemsPerPage=1&includeCount=true' + (query ? '&' + query : '')), n = a?.body?.totalCount;
  return typeof n === 'number' ? { n, to: a.path + (query ? '?' + query : '') } : undefined;
}

// A card whose value arrives later; without a value the card is removed.
function later(label, promise, draw) {
  const place = el('dd', {}, el('span', { class: 'big muted' }, '…')), node = el('div', { class: 'fact' }, el('dt', {}, label), place);
  promise.then((v) => { if (v === undefined) node.remove(); else put(place, draw(v)); }, () => node.remove());
  return node;
}
const counted = (label, promise) => later(label, promise, ({ n, to }) => number(n, to));
const alarmed = (promise) => later('Open alerts', promise, ({ n, to }) => [number(n, to), n ? [' ', badge('OPEN', 'alert')] : null]);

// The cost of the current month so far: in total, or of one cluster. answer: a promise of the pending invoice.
async function spent(answer, only) {
  const a = await answer, bills = (Array.isArray(a?.body?.results) ? a.body.results : [a?.body]).filter(isObject);
  const items = bills.flatMap((b) => (Array.isArray(b.lineItems) ? b.lineItems : [])).filter((i) => !only || (i.groupId === only.groupId && i.clusterName === only.clusterName));
  return a ? { cents: items.reduce((sum, i) => sum + (Number(i.totalPriceCents) || 0), 0), to: a.path } : undefined;
}
const cost = (promise) => later('Cost this month', promise, ({ cents, to }) => el('a', { class: 'big', href: '#' + to, title: cents + ' cents' }, money(cents)));

async function alertsOf(answer, clusterName) {
  const a = await answer;
  return Array.isArray(a?.body?.results) ? { n: a.body.results.filter((x) => x.clusterName === clusterName).length, to: a.path + '?status=OPEN' } : undefined;
}

function strings(o) {
  const all = Object.entries(isObject(o.connectionStrings) ? o.connectionStrings : {}).filter(([, v]) => typeof v === 'string' && v);
  const best = all.find(([k]) => k === 'standardSrv') ?? all[0];
  return best ? el('div', { class: 'fact wide' }, el('dt', {}, 'Connection string'), el('dd', { class: 'row' }, el('code', { class: 'connect' }, best[1]), copyButton(best[1], 'connection string', 'Copy'))) : null;
}

// Cards with further requests, by tag. params: of the path; once: sends a request whose answer the parts of the page share.
const OPEN = 'status=OPEN&itemsPerPage=500';
const BESIDE = {
  cluster: ({ groupId, clusterName, orgId }, once) => [alarmed(alertsOf(once('listAlerts', { groupId }, OPEN), clusterName)), orgId ? cost(spent(once('listInvoicePending', { orgId }), { groupId, clusterName })) : null],
  project: ({ groupId }) => [counted('Clusters', countOf('listClusters', { groupId })), alarmed(countOf('listAlerts', { groupId }, 'status=OPEN')), counted('Database users', countOf('listDatabaseUsers', { groupId })),
    counted('Network access', countOf('listAccessListEntries', { groupId })), counted('Members', countOf('listGroupUsers', { groupId }))],
  organization: ({ orgId }, once) => [counted('Projects', countOf('getOrgGroups', { orgId })), counted('Members', countOf('listOrgUsers', { orgId })), counted('Teams', countOf('listOrgTeams', { orgId })), cost(spent(once('listInvoicePending', { orgId })))],
};
const SKIP = { project: ['Name', 'Clusters'], organization: ['Name'], cluster: ['Name'] }; // facts that the heading or another card shows

function facts(o, tag) {
  return columnsOf([o], tag).best.filter((c) => !SKIP[tag]?.includes(c.head) && (c.field ? o[c.field] !== undefined : valuesOf(o, c.of).length)).map((c) => card(c.head, view.cellOf(o, c, tag)));
}

// ---- the tabs of a page

// A tab whose module is loaded when it is opened; the module's open(place, x) draws it.
const late = (file) => (x) => {
  const place = el('div', {}, el('p', { class: 'muted', 'aria-busy': 'true' }, 'Asking the service.'));
  import(file).then((m) => m.open(place, x)).catch(() => put(place, el('p', { class: 'problem', role: 'alert' }, 'This view cannot be drawn. Load the page again.')));
  return place;
};

// Tags with parts below the cards of the overview: parts.js draws them when the overview is shown, and again after a change of the resource.
const BELOW = new Set(['cluster', 'project']);
function overview(x) {
  const own = facts(x.body, x.tag);
  x.below.update?.(x.body);
  return [el('dl', { class: 'facts' }, x.tag === 'cluster' ? [own, x.beside] : [x.beside, own], strings(x.body)), BELOW.has(x.tag) ? x.below.node : null];
}
function seen(x) {
  if (x.below.begun || !BELOW.has(x.tag)) return;
  x.below.begun = true;
  import('./parts.js').then((m) => m.below(x)).then((update) => { x.below.update = update; }, () => {});
}

const isOne = (x) => x.op.template.endsWith('}');
const eventsOf = (x) => (x.params.groupId ? 'listGroupEvents' : x.params.orgId ? 'listOrgEvents' : '');
// The tabs of a page, in order. tags: the tags of resources that have the tab (default: all); needs: the operation it calls, which the service may lack; when:
// a further condition. eager: created at once; keep: stays when the resource is drawn again.
const TABS = [
  { name: 'Overview', eager: true, when: (x) => isOne(x) && TABLE[x.tag], make: overview, shown: seen },
  { name: 'Metrics', tags: ['cluster', 'process'], needs: () => 'getProcessMeasurements', when: isOne, keep: true, make: late('./metrics.js') },
  { name: 'Backup', tags: ['cluster'], needs: () => 'listBackupSnapshots', when: isOne, keep: true, make: late('./backup.js') },
  { name: 'Cost', tags: ['cluster', 'flex cluster', 'organization'], needs: () => 'listInvoicePending', when: (x) => isOne(x) && x.params.orgId, keep: true, make: late('./cost.js') },
  { name: 'Settings', eager: true, make: (x) => view.entity(x.body, x.heading) },
  { name: 'Related', eager: true, when: (x) => x.links, make: (x) => [el('p', { class: 'off' }, plural(x.links.querySelectorAll('li').length, 'link')), x.links] },
  { name: 'Events', needs: eventsOf, when: (x) => isOne(x) && x.tag !== 'event', keep: true, make: late('./events.js') },
  { name: 'JSON', make: (x) => block(JSON.stringify(x.body, null, 2), 'JSON') },
  { name: 'Code', make: (x) => codeOf(hrefAt(x.path === '/' ? '' : x.path), new URL('api/oauth/token', api.home).href, x.accept) },
];
const has = (t, x) => (!t.tags || t.tags.includes(x.tag)) && (!t.needs || opNamed(t.needs(x))) && (!t.when || t.when(x));

// tab: the tab in the address, shown first. before: the earlier draft of the same visit, whose tab and cards stay. moved(key, isStep): the user chose another
// tab. Returns { node, show(key), current() }.
export function entityPage({ body, op, params, path, accept, heading, tab, moved }, before) {
  const { tag } = op, answers = before?.answers ?? new Map(), below = before?.below ?? { node: el('div', { class: 'below' }) };
  const once = (id, of, query = '') => { const key = id + JSON.stringify(of) + query; if (!answers.has(key)) answers.set(key, ask(id, of, query)); return answers.get(key); };
  const x = { body, op, tag, params, path, accept, heading, links: view.links(body, path), below, once };
  x.beside = before?.beside ?? (isOne(x) && TABLE[tag] ? BESIDE[tag]?.(params, once) ?? [] : []);
  const tabs = TABS.filter((t) => has(t, x)).map((t) => ({ ...t, make: () => t.make(x), shown: t.shown ? () => t.shown(x) : undefined }));
  return Object.assign(tabbed(tabs, before?.current() ?? tab, before, moved), { beside: x.beside, answers, below });
}
