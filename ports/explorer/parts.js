// Parts below the cards of an overview: a cluster's alerts in words, its cost by day and its topology; a project's limits as gauges. Also shared by the tabs:
// the hosts of a cluster, and its alerts.
//
// A part is left out if its call is refused or a dialect renames its fields.

import { el, muted, put, sheet } from './dom.js';
import { fill, opNamed } from './spec.js';
import { selfOf } from './view.js';
import { badge, gauge, isObject, measure, metricWords, resultsOf, stamp } from './format.js';
import { shareOf } from './columns.js';

const FEW = 6;
const section = (name, ...inside) => el('section', { class: 'card part' }, name ? el('h2', {}, name) : null, inside);

// ---- hosts

export const shortHost = (name) => String(name).split('.')[0].replace(/:\d+$/, '');

// The hosts of a cluster: processes with names from its connection strings, or below the name of its SRV record. Undefined: they cannot be read.
export async function hostsOf(x) {
  const a = await x.once('listGroupProcesses', { groupId: x.params.groupId }, 'itemsPerPage=500'), strings = Object.values(isObject(x.body.connectionStrings) ? x.body.connectionStrings : {}).filter((v) => typeof v === 'string');
  if (!a) return undefined;
  const names = new Set(strings.flatMap((s) => s.replace(/^[^/]*\/\//, '').split(/[/?]/)[0].split(',')).map((h) => h.replace(/:\d+$/, '')));
  const isOurs = (host) => { const [first, ...domain] = String(host).split('.'); return names.has(host) || names.has([first.split('-')[0], ...domain].join('.')); };
  const own = resultsOf(a).filter((p) => typeof p.id === 'string' && (isOurs(p.hostname) || (!names.size && String(p.userAlias).startsWith(x.params.clusterName + '-shard-'))));
  const rank = (h) => (h.role === 'primary' ? 0 : h.set ? 1 : 2), short = (p) => shortHost(p.userAlias ?? p.hostname ?? p.id);
  return own.map((p) => ({ id: p.id, name: short(p) + (own.some((o) => o !== p && short(o) === short(p)) ? ':' + p.port : ''), role: p.replicaSetName ? metricWords(String(p.typeName ?? '').replace(/^[A-Z]+_/, '')).toLowerCase() : 'router', set: p.replicaSetName, path: selfOf(p) }))
    .sort((p, q) => rank(p) - rank(q) || p.name.localeCompare(q.name));
}

// ---- alerts

const unitOf = (units, metric) => (units && units !== 'RAW' ? units : /CPU|PERCENT|RATIO|UTILI[SZ]ATION/.test(metric ?? '') ? 'PERCENT' : 'SCALAR');
const SIGNS = { GREATER_THAN: 'above', LESS_THAN: 'below', EQUAL: 'equal to', NOT_EQUAL: 'other than' };
const SAID = { HOST_DOWN: 'Host does not answer', OUTSIDE_METRIC_THRESHOLD: 'Metric outside its threshold' };

// "CPU above 80 % for 5 min: 93 %". config: the alert configuration, if it is known.
export function inWords(alert, config) {
  const t = [config?.metricThreshold, config?.threshold].find(isObject), metric = t?.metricName ?? alert.metricName, value = isObject(alert.currentValue) ? alert.currentValue.number : undefined;
  if (!metric) return SAID[alert.eventTypeName] ?? metricWords(alert.eventTypeName ?? 'Alert');
  const delays = (Array.isArray(config?.notifications) ? config.notifications : []).map((n) => n?.delayMin).filter((n) => n > 0), delay = delays.length ? ' for ' + Math.min(...delays) + ' min' : '';
  const rule = typeof t?.threshold === 'number' ? ' ' + (SIGNS[t.operator] ?? t.operator) + ' ' + measure(t.threshold, unitOf(t.units, metric)) + delay : '';
  return metricWords(metric) + rule + (typeof value === 'number' ? ': ' + measure(value, unitOf(alert.currentValue.units, metric)) : '');
}

// All matching alerts, the newest last. If a project has more than a page of them: the last page, which has the newest.
export async function alertsOf(x, fits) {
  const ask = (page) => x.once('listAlerts', { groupId: x.params.groupId }, 'itemsPerPage=500&includeCount=true&pageNum=' + page);
  let a = await ask(1);
  if (a?.body?.totalCount > 500) a = await ask(Math.ceil(a.body.totalCount / 500)) ?? a;
  return a ? resultsOf(a).filter(fits).sort((p, q) => String(p.created).localeCompare(String(q.created))) : undefined;
}

export const configsOf = async (x) => new Map(resultsOf(await x.once('listAlertConfigs', { groupId: x.params.groupId }, 'itemsPerPage=500')).map((c) => [c.id, c]));

async function alertPart(x) {
  const { groupId, clusterName } = x.params, mine = (a) => a.clusterName === clusterName, answer = await x.once('listAlerts', { groupId }, 'status=OPEN&itemsPerPage=500');
  if (!answer) return null;
  const now = resultsOf(answer).filter(mine), past = now.length ? [] : ((await alertsOf(x, mine)) ?? []).filter((a) => a.resolved).slice(-3).reverse(), all = now.length ? now : past;
  const configs = all.some((a) => a.alertConfigId) ? await configsOf(x) : new Map();
  const line = (a) => { const text = inWords(a, configs.get(a.alertConfigId)), to = selfOf(a), host = a.userAlias ?? a.hostnameAndPort; return el('li', {}, badge(String(a.status), 'alert'), el('span', {}, to ? el('a', { href: '#' + to }, text) : text,
    muted([host ? ' on ' + shortHost(host) : '', a.created ? (a.resolved ? ', ' + stamp(Date.parse(a.created)) + ' to ' + stamp(Date.parse(a.resolved)) : ', since ' + stamp(Date.parse(a.created))) : '']))); };
  return section(now.length || !past.length ? 'Open alerts' : 'Latest alerts', all.length ? el('ul', { class: 'plain alerts' }, all.slice(0, FEW).map(line)) : el('p', { class: 'muted' }, 'This cluster has had no alert.'),
    now.length > FEW ? el('p', {}, el('a', { href: '#' + answer.path + '?status=OPEN' }, 'All ' + now.length + ' open alerts')) : now.length ? null : past.length ? el('p', { class: 'muted' }, 'No alert is open now.') : null);
}

// ---- topology

const KINDS = [['electableSpecs', 'electable'], ['readOnlySpecs', 'read-only'], ['analyticsSpecs', 'analytics']];
// The service does not report the regions of hosts. So the primary is marked in a region only if the shard has no other region.
function topology(body, hosts) {
  const specs = [body.effectiveReplicationSpecs, body.replicationSpecs].find((s) => Array.isArray(s) && s.some((r) => Array.isArray(r?.regionConfigs)));
  if (!specs) return null;
  const sets = [...new Set((hosts ?? []).map((h) => h.set).filter(Boolean))], used = new Set();
  const dot = (kind) => { used.add(kind); return el('i', { class: 'node ' + kind }); };
  const shards = specs.map((s, i) => {
    const own = (hosts ?? []).filter((h) => h.set && (specs.length === 1 || h.set === sets.find((n) => new RegExp('shard-0*' + i + '$').test(n)))), regions = (s.regionConfigs ?? []).filter(isObject);
    return el('div', { class: 'shard' }, el('h3', {}, specs.length > 1 ? 'Shard ' + (i + 1) : 'Replica set', s.zoneName && specs.length > 1 ? muted(' ' + s.zoneName) : null),
      el('div', { class: 'regions' }, regions.map((r) => {
        const counts = KINDS.map(([field, kind]) => [kind, r[field]?.nodeCount ?? 0]).filter(([, n]) => n > 0), isPrimary = regions.length === 1 && own.some((h) => h.role === 'primary');
        return el('div', { class: 'region' }, el('strong', {}, r.regionName ?? ''), muted([r.providerName, r.electableSpecs?.instanceSize].filter(Boolean).join(' ')),
          el('div', { class: 'nodes', role: 'img', 'aria-label': counts.map(([kind, n]) => n + ' ' + kind).join(', ') }, counts.flatMap(([kind, n]) => Array.from({ length: Math.min(n, 50) }, (_, k) => dot(kind === 'electable' && k === 0 && isPrimary ? 'primary' : kind)))), el('small', {}, counts.map(([kind, n]) => n + ' ' + kind).join(', ')));
      })),
      own.length ? el('ul', { class: 'plain hosts' }, own.map((h) => el('li', {}, dot(h.role === 'primary' ? 'primary' : 'electable'), h.path ? el('a', { href: '#' + h.path, title: h.id }, h.name) : h.name, muted(h.role)))) : null);
  });
  return section('Topology', el('div', { class: 'shards' }, shards), el('p', { class: 'muted nodekeys' }, [...used].map((k) => el('span', {}, el('i', { class: 'node ' + k }), k))));
}

// ---- limits

async function limitPart(x) {
  const a = await x.once('listGroupLimits', { groupId: x.params.groupId }), all = resultsOf(a).filter((l) => shareOf(l) !== undefined).sort((p, q) => shareOf(q) - shareOf(p));
  if (!all.length) return null;
  return section('Limits', el('ul', { class: 'plain gauges' }, all.slice(0, FEW).map((l) => { const name = metricWords(String(l.name).split('.').slice(-2).join(' ').replace(/([a-z])([A-Z])/g, '$1 $2')), to = selfOf(l);
    return el('li', {}, to ? el('a', { href: '#' + to, title: l.name }, name) : name, gauge(shareOf(l), name), muted(l.currentUsage + ' of ' + l.value)); })),
  el('p', {}, el('a', { href: '#' + fill(opNamed('listGroupLimits').template, x.params) }, 'All limits')));
}

// ---- everything

// Draws into x.below.node. Returns a function that draws again after a change of the resource.
export async function below(x) {
  await sheet('charts.css');
  const place = x.below.node;
  if (x.tag === 'project') { put(place, await limitPart(x)); return undefined; }
  const hosts = hostsOf(x).catch(() => undefined), last = el('div', {}), draw = async (body) => put(last, topology(body, await hosts));
  const month = x.params.orgId ? import('./cost.js').then((m) => m.monthPart(x)).then((node) => (node ? section('', node) : null)) : null;
  const [alerts, cost] = (await Promise.allSettled([alertPart(x), month, draw(x.body)])).map((p) => p.value);
  put(place, el('div', { class: 'twice' }, el('div', {}, alerts), el('div', {}, cost)), last); // at once, so that nothing moves later
  return draw;
}
