// The page of one resource, in tabs: what people look for first (Overview), all its fields (Settings), where its links lead (Related), what happened
// (Events), and the answer as JSON and as code. A tab is made when somebody opens it, but for those whose words the page is searched for.
//
// What an overview asks beside (alerts, counts, costs) is asked once per visit. An answer that is refused leaves its card out: not everybody may read bills.

import { el, newId, plural, put } from './dom.js';
import * as api from './api.js';
import { fill, opNamed, spec } from './spec.js';
import * as view from './view.js';
import { badge, copyButton, isObject, money } from './format.js';
import { columnsOf, TABLE, valuesOf } from './columns.js';
import { block, codeOf } from './code.js';

// ---- tabs

// tabs: [{ name, make }]; make() gives the node, once. Returns { node, show(name), current() }.
function tabbed(tabs, first) {
  const id = newId('tab'), made = new Set();
  let now = '';
  const panels = tabs.map((t, i) => el('div', { role: 'tabpanel', id: id + '-panel-' + i, 'aria-labelledby': id + '-' + i, hidden: true, class: 'panel', 'data-tab': t.name }));
  const buttons = tabs.map((t, i) => el('button', { type: 'button', role: 'tab', id: id + '-' + i, 'aria-controls': id + '-panel-' + i, 'data-f': 'tab ' + t.name, onclick: () => show(t.name) }, t.name));
  function show(name) {
    const at = Math.max(0, tabs.findIndex((t) => t.name === name));
    now = tabs[at].name;
    if (!made.has(now)) { made.add(now); put(panels[at], tabs[at].make()); }
    buttons.forEach((b, i) => { b.setAttribute('aria-selected', String(i === at)); b.tabIndex = i === at ? 0 : -1; });
    panels.forEach((p, i) => { p.hidden = i !== at; });
  }
  const bar = el('div', { role: 'tablist', class: 'tablist', 'aria-label': 'Views', onkeydown: (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key], to = e.key === 'Home' ? 0 : e.key === 'End' ? tabs.length - 1 : step ? (tabs.findIndex((t) => t.name === now) + step + tabs.length) % tabs.length : -1;
    if (to < 0) return;
    e.preventDefault();
    show(tabs[to].name);
    buttons[to].focus();
  } }, buttons);
  for (const [i, t] of tabs.entries()) if (t.eager) { made.add(t.name); put(panels[i], t.make()); }
  show(first);
  return { node: el('div', { class: 'tabbed' }, bar, panels), current: () => now };
}

// ---- cards

const card = (label, ...inside) => el('div', { class: 'fact' }, el('dt', {}, label), el('dd', {}, inside));
const number = (n, to) => (to ? el('a', { class: 'big', href: '#' + to }, String(n)) : el('span', { class: 'big' }, String(n)));

// Asks by operationId; undefined: it was refused, or there is no such operation.
async function ask(id, params, query = '') {
  const op = opNamed(id);
  if (!op) return undefined;
  const path = fill(op.template, params), a = await api.call('GET', spec.base, path + (query ? '?' + query : ''), { template: op.template, accept: op.accept });
  return a.ok ? { path, body: a.body } : undefined;
}
async function countOf(id, params, query = '') {
  const a = await ask(id, params, 'itemsPerPage=1&includeCount=true' + (query ? '&' + query : '')), n = a?.body?.totalCount;
  return typeof n === 'number' ? { n, to: a.path + (query ? '?' + query : '') } : undefined;
}

// A card whose value comes later; without one it goes.
function later(label, promise, draw) {
  const place = el('dd', {}, el('span', { class: 'muted' }, '…')), node = el('div', { class: 'fact' }, el('dt', {}, label), place);
  promise.then((v) => { if (v === undefined) node.remove(); else put(place, draw(v)); }, () => node.remove());
  return node;
}
const counted = (label, promise) => later(label, promise, ({ n, to }) => number(n, to));
const alarmed = (promise) => later('Open alerts', promise, ({ n, to }) => [number(n, to), n ? [' ', badge('OPEN', 'alert')] : null]);

// What the month that is not over has cost so far: all of it, or of one cluster.
async function spent(orgId, only) {
  const a = orgId ? await ask('listInvoicePending', { orgId }) : undefined, bills = (Array.isArray(a?.body?.results) ? a.body.results : [a?.body]).filter(isObject);
  const items = bills.flatMap((b) => (Array.isArray(b.lineItems) ? b.lineItems : [])).filter((i) => !only || (i.groupId === only.groupId && i.clusterName === only.clusterName));
  return a ? { cents: items.reduce((sum, i) => sum + (Number(i.totalPriceCents) || 0), 0), to: a.path } : undefined;
}
const cost = (promise) => later('Cost this month', promise, ({ cents, to }) => el('a', { class: 'big', href: '#' + to, title: cents + ' cents' }, money(cents)));

async function alertsOf(groupId, clusterName) {
  const a = await ask('listAlerts', { groupId }, 'status=OPEN&itemsPerPage=500');
  return Array.isArray(a?.body?.results) ? { n: a.body.results.filter((x) => x.clusterName === clusterName).length, to: a.path + '?status=OPEN' } : undefined;
}

function strings(o) {
  const all = Object.entries(isObject(o.connectionStrings) ? o.connectionStrings : {}).filter(([, v]) => typeof v === 'string' && v);
  const best = all.find(([k]) => k === 'standardSrv') ?? all[0];
  return best ? el('div', { class: 'fact wide' }, el('dt', {}, 'Connection string'), el('dd', { class: 'row' }, el('code', { class: 'connect' }, best[1]), copyButton(best[1], 'connection string', 'Copy'))) : null;
}

// By tag: what is asked beside. params: of the path.
const BESIDE = {
  cluster: (o, { groupId, clusterName, orgId }) => [alarmed(alertsOf(groupId, clusterName)), cost(spent(orgId, { groupId, clusterName }))],
  project: (o, { groupId }) => [counted('Clusters', countOf('listClusters', { groupId })), alarmed(countOf('listAlerts', { groupId }, 'status=OPEN')), counted('Database users', countOf('listDatabaseUsers', { groupId })),
    counted('Network access', countOf('listAccessListEntries', { groupId })), counted('Members', countOf('listGroupUsers', { groupId }))],
  organization: (o, { orgId }) => [counted('Projects', countOf('getOrgGroups', { orgId })), counted('Members', countOf('listOrgUsers', { orgId })), counted('Teams', countOf('listOrgTeams', { orgId })), cost(spent(orgId))],
};
const SKIP = { project: ['Name', 'Clusters'], organization: ['Name'], cluster: ['Name'] }; // the heading says it, or a card that is asked for

function facts(o, tag) {
  return columnsOf([o], tag).best.filter((c) => !SKIP[tag]?.includes(c.head) && (c.field ? o[c.field] !== undefined : valuesOf(o, c.of).length)).map((c) => card(c.head, view.cellOf(o, c, tag)));
}

// beside: the cards that were asked for at the first time, and stay.
const overview = (o, tag, beside) => el('dl', { class: 'facts' }, tag === 'cluster' ? [facts(o, tag), beside] : [beside, facts(o, tag)], strings(o));

// ---- events

function eventsOf({ groupId, orgId, clusterName }) {
  const op = opNamed(groupId ? 'listGroupEvents' : 'listOrgEvents'), place = el('div', {}, el('p', { class: 'muted', 'aria-busy': 'true' }, 'Asking the service.'));
  const path = fill(op.template, { groupId, orgId }), only = clusterName && op.query.some((p) => p.name === 'clusterNames') ? '&clusterNames=' + encodeURIComponent(clusterName) : '';
  api.call('GET', spec.base, path + '?itemsPerPage=20' + only, { template: op.template, accept: op.accept }).then((a) => {
    const draw = () => put(place, view.list({ ...a.body, links: [] }, path, op, draw), el('p', {}, el('a', { class: 'button', href: '#' + path + (only ? '?' + only.slice(1) : '') }, 'All events')));
    if (a.ok && Array.isArray(a.body?.results)) draw(); else put(place, view.problem(a, { template: op.template }));
  });
  return place;
}

// ---- all of it

// tab: the one that is shown first. before: what was shown for the same visit, whose tab and cards stay. Returns { node, current, beside }.
export function entityPage({ body, op, params, path, accept, heading, tab }, before) {
  const { tag } = op, hasOverview = Boolean(TABLE[tag]) && op.template.endsWith('}'), links = view.links(body, path), ids = { ...params };
  const beside = before?.beside ?? (hasOverview ? BESIDE[tag]?.(body, params) ?? [] : []);
  const count = links ? links.querySelectorAll('li').length : 0, where = params.groupId ?? params.orgId;
  const tabs = [
    hasOverview ? { name: 'Overview', eager: true, make: () => overview(body, tag, beside) } : null,
    { name: 'Settings', eager: true, make: () => view.entity(body, heading) },
    links ? { name: 'Related', eager: true, make: () => [el('p', { class: 'off' }, plural(count, 'link')), links] } : null,
    where && op.template.endsWith('}') && opNamed(params.groupId ? 'listGroupEvents' : 'listOrgEvents') && tag !== 'event' ? { name: 'Events', make: () => eventsOf(ids) } : null,
    { name: 'JSON', make: () => block(JSON.stringify(body, null, 2), 'JSON') },
    { name: 'Code', make: () => codeOf(location.origin + spec.base + (path === '/' ? '' : path), new URL('api/oauth/token', api.home).href, accept) },
  ].filter(Boolean);
  const t = tabbed(tabs, before?.current() ?? tab);
  return { ...t, beside };
}
