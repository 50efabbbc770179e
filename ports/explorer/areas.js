// The area of the sidebar for an operation: by its tag in the OpenAPI document; for an unknown tag, by its path. So resources that are added later have a place
// without a change here.

import { words } from './dom.js';

const AREAS = [
  ['Deployment', ['cluster', 'flex cluster', 'cluster summary', 'cluster configuration', 'cluster log', 'cluster region', 'database version', 'process arguments', 'global writes', 'maintenance window', 'online archive',
    'outage simulation', 'rolling index', 'sample dataset load', 'data federation', 'data federation limit', 'search deployment', 'search index', 'available project', 'link token', 'live migration', 'live migration validation']],
  ['Backup', ['snapshot', 'restore job', 'backup schedule', 'backup compliance policy', 'snapshot of shards', 'export bucket', 'export job', 'backup endpoint', 'flex snapshot', 'flex restore job', 'checkpoint', 'legacy snapshot', 'legacy restore job',
    'legacy snapshot schedule']],
  ['Network', ['network access entry', 'peering connection', 'network container', 'endpoint service', 'private endpoint', 'regional mode', 'data federation endpoint', 'IP address', 'custom DNS', 'private IP mode', 'control-plane address']],
  ['Security', ['database user', 'custom database role', 'database user certificate', 'user security', 'LDAP verification', 'encryption at rest', 'encryption at rest endpoint', 'audit log', 'access history', 'cloud provider access', 'resource policy', 'non-compliant resource']],
  ['Monitoring', ['alert', 'alert configuration', 'alert matcher field', 'event', 'event type', 'process', 'database', 'disk', 'collection statistics', 'pinned namespaces', 'suggested index', 'drop index suggestion', 'schema advice', 'slow query',
    'managed slow-query threshold', 'query shape', 'query shape insight', 'search metric', 'integration', 'log export', 'log integration']],
  ['Streams', ['stream workspace', 'stream connection', 'stream failover connection', 'stream processor', 'stream private link', 'stream peering', 'stream account', 'stream log']],
  ['Organization', ['organization', 'project', 'organization user', 'team', 'API key', 'service account', 'organization invitation', 'project invitation', 'organization settings', 'project settings', 'project limit', 'federation settings',
    'connected organization', 'identity provider', 'role mapping', 'user', 'API key access list entry', 'service account access list entry', 'service account secret', 'rate limit', 'root', 'access token']],
  ['Billing', ['invoice', 'cost explorer query', 'sku']],
];
const BY_PATH = [['Billing', /invoice|billing|sku|payment/i], ['Backup', /backup|snapshot|restore/i], ['Streams', /stream/i], ['Network', /network|peer|endpoint|accessList|dns|ip/i], ['Security', /security|auth|encrypt|audit|role|policy/i],
  ['Monitoring', /alert|event|metric|measure|log/i], ['Organization', /^\/orgs|user|team|key|setting/i]];

export const names = AREAS.map(([name]) => name);
const order = new Map(AREAS.flatMap(([area, tags]) => tags.map((tag, i) => [tag, { area, i }])));
export const areaOf = (op) => order.get(op.tag)?.area ?? BY_PATH.find(([, p]) => p.test(op.template))?.[0] ?? 'Deployment';
export const placeOf = (op) => order.get(op.tag)?.i ?? 99;

const many = (tag) => (/(access|shards|statistics|namespaces|history|writes|arguments|federation|settings|advice)$/.test(tag) ? tag : /[^aeiou]y$/.test(tag) ? tag.replace(/y$/, 'ies') : /[sx]$/.test(tag) ? tag + 'es' : tag + 's');
const CALLED = { 'organization user': 'Members', 'network access entry': 'Network access' }; // tags with a better name in the sidebar
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const nounOf = (op) => (op.isList && CALLED[op.tag]) || capital(op.isList || /^list/.test(op.id) || /(address|resource)$/.test(op.tag) ? many(op.tag || 'entry') : op.tag || 'entry');

// Lists what can be read right below a template without further parameters, by area: { area: [{ op, label }] }. The label is the tag. If a tag has several
// operations, only the shortest path gets the tag as its label; the others are labeled by their paths. So are operations of the resource itself, such as its
// status.
export function below(ops, template) {
  const found = ops.filter((op) => op.method === 'GET' && op.template.startsWith(template + '/') && !op.template.slice(template.length).includes('{') && /json$/.test(op.accept ?? '') && !op.deprecated);
  const all = {}, own = ops.find((op) => op.method === 'GET' && op.template === template)?.tag;
  for (const op of found) {
    const rest = op.template.slice(template.length + 1), alone = op.tag !== own && found.every((o) => o === op || o.tag !== op.tag || o.template.length > op.template.length);
    (all[areaOf(op)] ??= []).push({ op, label: alone ? nounOf(op) : words(rest.replace(/[/:]/g, ' ')) });
  }
  for (const items of Object.values(all)) items.sort((a, b) => placeOf(a.op) - placeOf(b.op) || a.label.localeCompare(b.label));
  return all;
}
