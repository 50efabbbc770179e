// The columns of lists, in one table: by the operation's tag in the OpenAPI document, which no dialect changes. A list without an entry here, or with fields
// that a dialect renames, gets its columns by rules: name, state, then short values, but no values that are the same in all rows.
//
// A column is [head, of, as]. of: a path through objects and arrays ("roles.roleName"); several paths with "|" between them, of which the first with a value
// counts; a pattern for a field's name; or a function of the entry. as: state, time, day, money, id, gauge (a share from 0 to 1), or nothing for text.

import { words } from './dom.js';
import { bytes, isDate, isObject, isState, isId, day } from './format.js';

const MOST = 6; // columns by rules

// Returns all values at a path, without duplicates.
function walk(o, path) {
  let all = [o];
  for (const key of path.split('.')) all = all.flatMap((x) => (Array.isArray(x) ? x : [x])).map((x) => (isObject(x) && Object.hasOwn(x, key) ? x[key] : undefined)).flat();
  return [...new Set(all.filter((v) => v !== undefined && v !== null && v !== ''))];
}

export function valuesOf(o, of) {
  if (typeof of === 'function') return [of(o)].flat().filter((v) => v !== undefined && v !== null && v !== '');
  if (of instanceof RegExp) return Object.entries(o).filter(([k, v]) => of.test(k) && !isObject(v) && v !== null && v !== '').map(([, v]) => v).slice(0, 1);
  for (const path of of.split('|')) { const found = walk(o, path); if (found.length) return found; }
  return [];
}

// ---- values that need more than a path

const specsOf = (o) => valuesOf(o, 'effectiveReplicationSpecs.regionConfigs|replicationSpecs.regionConfigs').filter(isObject);
export function placeOf(o) {
  const by = new Map();
  for (const r of specsOf(o)) by.set(r.providerName, (by.get(r.providerName) ?? new Set()).add(r.regionName));
  return [...by].map(([provider, regions]) => [provider, [...regions].filter(Boolean).join(', ')].filter(Boolean).join(' '));
}
export function nodesOf(o) {
  const counts = specsOf(o).flatMap((r) => ['electableSpecs', 'readOnlySpecs', 'analyticsSpecs'].map((k) => r[k]?.nodeCount)).filter((n) => typeof n === 'number');
  return counts.length ? counts.reduce((a, b) => a + b, 0) : undefined;
}
const gigabytes = (v) => (v === undefined ? undefined : v + ' GB');
export const diskOf = (o) => gigabytes(valuesOf(o, 'effectiveReplicationSpecs.regionConfigs.electableSpecs.diskSizeGB|replicationSpecs.regionConfigs.electableSpecs.diskSizeGB|diskSizeGB')[0]);
export const tierOf = 'effectiveReplicationSpecs.regionConfigs.electableSpecs.instanceSize|replicationSpecs.regionConfigs.electableSpecs.instanceSize|providerSettings.instanceSizeName';
export const VERSION = /^(?!.*(major|feature|system)).*version$/i;

const SIGNS = { GREATER_THAN: '>', LESS_THAN: '<', EQUAL: '=' };
const unitOf = (t) => (t.units && t.units !== 'RAW' ? ' ' + String(t.units).toLowerCase() : '');
const threshold = (o) => {
  const t = [o.metricThreshold, o.threshold].find(isObject);
  return t ? [t.metricName, SIGNS[t.operator] ?? t.operator, t.threshold === undefined ? '' : t.threshold + unitOf(t)].filter(Boolean).join(' ') : undefined;
};
const notified = (o) => (Array.isArray(o.notifications) ? o.notifications : []).filter(isObject)
  .map((n) => [n.typeName, n.emailAddress ?? n.username ?? n.channelName ?? n.teamName ?? n.mobileNumber ?? (Array.isArray(n.roles) ? n.roles.join(', ') : undefined)].filter(Boolean).join(' '));
const granted = (o) => (Array.isArray(o.roles) ? o.roles : []).filter(isObject).map((r) => r.roleName + (r.databaseName ? '@' + r.databaseName + (r.collectionName ? '.' + r.collectionName : '') : ''));
const rolesOf = (o) => (Array.isArray(o.roles) ? walk(o, 'roles').map((r) => (isObject(r) ? r.roleName : r))
  : [...walk(o, 'roles.orgRoles'), ...walk(o, 'roles.groupRoleAssignments.groupRoles'), ...walk(o, 'roleNames')]);
const scopes = (o) => { const all = walk(o, 'scopes.name'); return all.length ? all : 'all clusters'; };
const value = (o) => (isObject(o.currentValue) && o.currentValue.number !== undefined ? Math.round(o.currentValue.number * 100) / 100 + unitOf(o.currentValue) : undefined);
const period = (o) => (o.startDate ? day(o.startDate) + ' to ' + (o.endDate ? day(o.endDate) : 'now') : undefined);
export const shareOf = (o) => (typeof o.currentUsage === 'number' && o.value > 0 ? o.currentUsage / o.value : undefined);
const outcome = (o) => (o.failed ? 'FAILED' : o.cancelled ? 'CANCELLED' : o.expired ? 'EXPIRED' : o.finishedAt ? 'COMPLETED' : 'IN_PROGRESS');
const yes = (key) => (o) => (typeof o[key] === 'boolean' ? (o[key] ? 'yes' : 'no') : o[key]);
const enabled = (key) => (o) => (typeof o[key] === 'boolean' ? (o[key] ? 'ENABLED' : 'DISABLED') : o[key]);

// ---- the table

const NAME = ['Name', 'name'], CREATED = ['Created', 'created|createDate|createdAt', 'time'];
const SNAPSHOT = [['Created', 'createdAt|created|startTime', 'time'], ['State', 'status', 'state'], ['Kind', 'snapshotType'], ['Frequency', 'frequencyType'], ['Size', (o) => bytes(o.storageSizeBytes), 'size'],
  ['Version', VERSION], ['Expires', 'expiresAt|expiration', 'time']];
const RESTORE = [['Started', 'createdAt|timestamp|created', 'time'], ['State', (o) => o.status ?? o.statusName ?? outcome(o), 'state'], ['Delivery', 'deliveryType'],
  ['Target', 'targetClusterName|targetDeploymentItemName'], ['Finished', 'finishedAt|restoreFinishedDate', 'time'], ['Id', 'id|restoreJobId', 'id']];
const ENTRY = [['Address', 'cidrBlock|ipAddress|awsSecurityGroup'], ['Comment', 'comment'], ['Expires', 'deleteAfterDate', 'time'], CREATED, ['Last used', 'lastUsed|lastUsedAt', 'time']];

export const TABLE = {
  organization: [NAME, ['Id', 'id', 'id']],
  project: [NAME, ['Clusters', 'clusterCount'], CREATED, ['Id', 'id', 'id']],
  cluster: [NAME, ['State', 'stateName', 'state'], ['Tier', tierOf], ['Provider and regions', placeOf], ['Nodes', nodesOf], ['Version', VERSION], ['Disk', diskOf, 'size'], CREATED],
  'cluster summary': [['Project', 'groupName'], ['Organization', 'orgName'], ['Clusters', 'clusters.name'], ['Alerts', (o) => walk(o, 'clusters').reduce((n, c) => n + (c?.alertCount ?? 0), 0)], ['Plan', 'planType']],
  'flex cluster': [NAME, ['State', 'stateName', 'state'], ['Provider', 'providerSettings.backingProviderName'], ['Region', 'providerSettings.regionName'], ['Version', VERSION], ['Disk', (o) => gigabytes(walk(o, 'providerSettings.diskSizeGB')[0]), 'size'], CREATED],
  'database user': [['Name', 'username'], ['Auth database', 'databaseName'], ['Roles', granted], ['Scopes', scopes], ['Deleted after', 'deleteAfterDate', 'time']],
  'custom database role': [['Name', 'roleName'], ['Actions', 'actions.action'], ['Inherits', 'inheritedRoles.role']],
  'alert configuration': [['Event', 'eventTypeName'], ['Condition', threshold], ['Enabled', enabled('enabled'), 'state'], ['Notifies', notified], ['Updated', 'updated', 'time']],
  alert: [['Event', 'eventTypeName'], ['State', 'status', 'state'], ['Cluster', 'clusterName'], ['Host', 'userAlias|hostnameAndPort'], ['Metric', 'metricName'], ['Value', value], ['Opened', 'created', 'time'], ['Resolved', 'resolved', 'time']],
  event: [['Time', 'created', 'time'], ['Type', 'eventTypeName'], ['Who', 'username|publicKey|clientId|apiKeyId'],
    ['What', 'clusterName|dbUserUsername|targetUsername|targetPublicKey|whitelistEntry|hostname|instanceName|resourceId'], ['From', 'remoteAddress']],
  invoice: [['Period', period], ['Amount', 'amountBilledCents', 'money'], ['Paid', 'amountPaidCents', 'money'], ['State', 'statusName', 'state'], ['Updated', 'updated', 'time']],
  'API key': [['Description', 'desc'], ['Public key', 'publicKey'], ['Roles', rolesOf], ['Id', 'id', 'id']],
  'service account': [NAME, ['Description', 'description'], ['Roles', rolesOf], ['Client id', 'clientId', 'id'], ['Secret expires', 'secrets.expiresAt', 'time'], CREATED],
  'service account secret': [['Secret', 'maskedSecretValue'], ['Expires', 'expiresAt', 'time'], ['Last used', 'lastUsedAt', 'time'], CREATED],
  team: [['Name', 'name|teamId'], ['Roles', rolesOf], ['Members', 'usernames'], ['Id', 'id|teamId', 'id']],
  'organization user': [['Name', 'username'], ['State', 'orgMembershipStatus', 'state'], ['Roles', rolesOf], ['Last sign-in', 'lastAuth', 'time'], ['Joined', 'createdAt|invitationCreatedAt', 'time']],
  'organization invitation': [['Name', 'username'], ['Roles', rolesOf], ['Invited by', 'inviterUsername'], CREATED, ['Expires', 'expiresAt', 'time']],
  'project invitation': [['Name', 'username'], ['Roles', rolesOf], ['Invited by', 'inviterUsername'], CREATED, ['Expires', 'expiresAt', 'time']],
  'network access entry': ENTRY,
  'API key access list entry': ENTRY,
  'service account access list entry': ENTRY,
  snapshot: SNAPSHOT,
  'flex snapshot': SNAPSHOT,
  'restore job': RESTORE,
  'flex restore job': RESTORE,
  'export job': [['Created', 'createdAt', 'time'], ['State', 'state', 'state'], ['Bucket', 'exportBucketId', 'id'], ['Snapshot', 'snapshotId', 'id'], ['Finished', 'finishedAt', 'time']],
  process: [['Name', 'userAlias|hostname'], ['Role', 'typeName'], ['Version', VERSION], ['Port', 'port'], ['Replica set', 'replicaSetName'], ['Last ping', 'lastPing', 'time']],
  'network container': [['Id', 'id', 'id'], ['Provider', 'providerName'], ['Region', 'regionName|region'], ['Network', /CidrBlock$/], ['Provisioned', yes('provisioned')], ['Network id', 'vpcId|vnetName|networkName']],
  'peering connection': [['Id', 'id', 'id'], ['State', 'statusName|status', 'state'], ['Provider', 'providerName'], ['Region', 'accepterRegionName'], ['Peer', 'vpcId|vnetName|networkName'], ['Network', 'routeTableCidrBlock']],
  'stream workspace': [NAME, ['Provider', 'dataProcessRegion.cloudProvider'], ['Region', 'dataProcessRegion.region'], ['Tier', 'streamConfig.tier'], ['Connections', 'connections.name']],
  'stream connection': [NAME, ['Type', 'type'], ['State', 'state', 'state'], ['Cluster', 'clusterName'], ['Servers', 'bootstrapServers']],
  'stream processor': [NAME, ['State', 'state', 'state'], ['Tier', 'tier'], ['Id', '_id', 'id']],
  'project limit': [['Name', 'name'], ['Share', shareOf, 'gauge'], ['Used', 'currentUsage'], ['Limit', 'value'], ['Default', 'defaultLimit'], ['Most', 'maximumLimit']],
  'rate limit': [['Endpoint set', 'endpointSetName'], ['Scope', 'scope'], ['Capacity', 'capacity.value'], ['Refill', 'refillRate.value'], ['Every', (o) => (isObject(o.refillDurationSeconds) ? o.refillDurationSeconds.value + ' s' : undefined)],
    ['Operations', (o) => o.endpoints?.length]],
};

// Lists whose newest entry comes first, until the user sorts them otherwise: by this column.
export const NEWEST = { alert: 'Opened' };

// ---- by rules

const INTERNAL = /^(links|groupId|orgId|isGlobalAdmin|isDeleted|notifierId|internalClusterRole|rootCertType)$/;
function weigh(k, list) {
  if (/^(name|username|clusterName|endpointSetName|hostname|title|roleName)$/.test(k)) return 0;
  if (isState(k)) return 1;
  if (/(type|TypeName|kind|scope|role|RoleName|providerName|severity)$/i.test(k)) return 2;
  if (/^(id|.*SetId|clientId|publicKey)$/.test(k)) return 4;
  if (/^(created|createDate|createdAt|updated|time|date)/i.test(k)) return 5;
  if (list.length > 1 && list.every((o) => o?.[k] === list[0]?.[k])) return 7;
  return /Id$/.test(k) ? 6 : 3;
}
const asOf = (k, list) => (isState(k) ? 'state' : list.some((o) => isDate(o?.[k])) ? 'time' : /Cents$/.test(k) ? 'money' : list.some((o) => isId(k, o?.[k])) ? 'id' : '');
const plainColumn = (k, list) => ({ key: k, head: words(k), field: k, as: asOf(k, list) });

function byRules(fields, list) {
  const good = fields.filter((k) => !INTERNAL.test(k) && list.some((o) => o[k] !== undefined && o[k] !== null && o[k] !== '') && list.every((o) => !isObject(o[k]) && String(o[k] ?? '').length <= 120));
  return good.sort((a, b) => weigh(a, list) - weigh(b, list)).slice(0, MOST).map((k) => plainColumn(k, list));
}

// Returns all columns that a list can show, the default ones first. list: objects; tag: of the operation.
export function columnsOf(list, tag) {
  const fields = [...new Set(list.flatMap((o) => Object.keys(o)))].filter((k) => k !== 'links');
  const known = (TABLE[tag] ?? []).map(([head, of, as = '']) => ({ key: head, head, of, as })).filter((c, i) => i === 0 || list.some((o) => valuesOf(o, c.of).length));
  const fits = known.length > 0 && list.some((o) => valuesOf(o, known[0].of).length);
  const best = fits ? known : byRules(fields, list), shown = new Set(best.map((c) => c.field));
  const rest = fields.filter((k) => !shown.has(k)).map((k) => plainColumn(k, list));
  return { best: best.length ? best : rest.slice(0, 1), all: best.length ? [...best, ...rest] : rest };
}
