// The most important fields of forms, by operationId, which no dialect changes: in order, with their labels. All other fields are behind "More settings". A
// field that the document does not have, because a dialect renames it, is left out here and is among the others. A form without an entry shows the required
// fields, then those that look like a name.
//
// An entry is [field, label, more]. more: from: [operationId, field of the value, field of its description]: choices from a list of the service; preset: the
// initial value, or 'first' for the enum's first; lead: the entries of nested fields; roles: 'org' or 'group'; regionsOf: the field with the provider. Also
// here: the questions and warnings of deletes (GOING).

import { schemaOf, opNamed } from './spec.js';
import { isDate, utc } from './format.js';
import { costOf, Place, placeOf, pricePart, pricesOf } from './price.js';

const NAME = ['name', 'Name'];
const CLUSTERS = ['listClusters', 'name'];
const ROLES = ['roles', 'Roles', { lead: [['roleName', 'Role', { list: ['readWriteAnyDatabase', 'readAnyDatabase', 'readWrite', 'read', 'dbAdmin', 'dbAdminAnyDatabase', 'clusterMonitor'] }], ['databaseName', 'Database'], ['collectionName', 'Collection']] }];
const SCOPES = ['scopes', 'Only on these clusters', { lead: [['name', 'Cluster', { from: CLUSTERS }], ['type', 'Kind']] }];
const ACCOUNT = (of) => [NAME, ['description', 'What it is for'], ['roles', 'Roles', { roles: of }], ['secretExpiresAfterHours', 'Hours until its secret expires', { preset: 720 }]];
const KEY = (of) => [['desc', 'What it is for'], ['roles', 'Roles', { roles: of }]];
const PERSON = (of) => [['username', 'Email address'], ['roles', 'Roles', { roles: of }], ['teamIds', 'Teams', { from: ['listOrgTeams', 'id', 'name'] }]];
const ADDRESS = [['ipAddress', 'IP address', { isMine: true }], ['cidrBlock', 'Network (CIDR)'], ['comment', 'Comment'], ['deleteAfterDate', 'Removed at']];
const ALERT = [['eventTypeName', 'What to watch'], ['metricThreshold', 'Limit of the metric'], ['notifications', 'Whom to notify'], ['enabled', 'Enabled', { preset: true }]];
const PEER = [['containerId', 'Network container', { from: ['listGroupContainers', 'id', 'regionName'] }], ['accepterRegionName', 'Region of the peer'], ['awsAccountId', 'AWS account'], ['vpcId', 'VPC'], ['routeTableCidrBlock', 'Network of the peer (CIDR)'],
  ['azureDirectoryId', 'Azure directory'], ['azureSubscriptionId', 'Azure subscription'], ['resourceGroupName', 'Resource group'], ['vnetName', 'Virtual network'], ['gcpProjectId', 'Google Cloud project'], ['networkName', 'Network']];

const TABLE = {
  createCluster: [NAME, 'place', ['clusterType', 'Cluster type', { preset: 'first', isLess: true }]],
  updateCluster: ['place', ['backupEnabled', 'Backup'], ['paused', 'Paused'], ['terminationProtectionEnabled', 'Termination protection']],
  createFlexCluster: [NAME, ['providerSettings', 'Where it runs', { lead: [['backingProviderName', 'Provider', { preset: 'first' }], ['regionName', 'Region', { regionsOf: 'backingProviderName' }]] }]],
  createOrg: [NAME],
  createGroup: [NAME, ['orgId', 'Organization', { places: 'orgs' }]],
  updateGroup: [NAME],
  createDatabaseUser: [['username', 'User name'], ['password', 'Password'], ['databaseName', 'Database that checks the password', { preset: 'first' }], ROLES, SCOPES],
  updateDatabaseUser: [['password', 'New password'], ROLES, SCOPES],
  createAccessListEntry: ADDRESS,
  createOrgAccessEntry: ADDRESS,
  createOrgAccessList: ADDRESS,
  createAccessList: ADDRESS,
  createAlertConfig: ALERT,
  updateAlertConfig: ALERT,
  createOrgServiceAccount: ACCOUNT('org'),
  createGroupServiceAccount: ACCOUNT('group'),
  createOrgApiKey: KEY('org'),
  createGroupApiKey: KEY('group'),
  createOrgInvite: PERSON('org'),
  createGroupInvite: PERSON('group'),
  createOrgUser: [['username', 'Email address'], ['roles', 'Roles', { lead: [['orgRoles', 'In the organization'], ['groupRoleAssignments', 'In projects']] }]],
  addGroupUsers: PERSON('group'),
  createOrgTeam: [NAME, ['usernames', 'Members', { from: ['listOrgUsers', 'username'] }]],
  takeSnapshots: [['description', 'Description'], ['retentionInDays', 'Days to keep it']],
  createBackupRestoreJob: [['deliveryType', 'How'], ['snapshotId', 'Snapshot', { from: ['listBackupSnapshots', 'id', 'createdAt'] }], ['targetClusterName', 'Into the cluster', { from: CLUSTERS }],
    ['targetGroupId', 'In the project', { places: 'projects' }], ['pointInTimeUTCSeconds', 'Moment (seconds since 1970)']],
  createFlexRestoreJob: [['snapshotId', 'Snapshot', { from: ['listFlexBackupSnapshots', 'id', 'startTime'] }], ['targetDeploymentItemName', 'Into the cluster', { from: ['listFlexClusters', 'name'] }]],
  createClusterSearchIndex: [NAME, ['database', 'Database'], ['collectionName', 'Collection'], ['definition', 'Definition']],
  createOnlineArchive: [['dbName', 'Database'], ['collName', 'Collection'], ['criteria', 'Which documents'], ['dataExpirationRule', 'When they are deleted']],
  createGroupPeer: PEER,
  createGroupContainer: [['regionName', 'Region'], ['region', 'Region']],
  createPrivateEndpointService: [['providerName', 'Provider', { preset: 'first' }], ['region', 'Region']],
  createPrivateEndpoint: [['id', 'Endpoint at AWS or Azure'], ['privateEndpointIPAddress', 'Private address (Azure)'], ['gcpProjectId', 'Google Cloud project'], ['endpointGroupName', 'Endpoint group (Google Cloud)'], ['endpoints', 'Endpoints (Google Cloud)']],
};

// ---- the entries of an operation, with their choices

// The document lists the roles in an organization at the operation that adds one, and those in a project at notifications of alerts.
function roles(of) {
  const s = of === 'org' ? schemaOf(opNamed('addOrgRole')?.schema) : schemaOf({ $ref: '#/components/schemas/GroupNotification' });
  const p = of === 'org' ? Object.values(s.properties ?? {}) : Object.values(s.properties ?? {}).map((x) => schemaOf(schemaOf(x).items ?? {}));
  const values = p.map(schemaOf).map((x) => x.enum ?? x.anyOf?.find((o) => o.enum)?.enum).find((e) => e?.some((v) => /_READ_ONLY$/.test(v)));
  return values ? { items: { type: 'string', enum: values } } : undefined;
}

// context: { params: of the path, ask(id, params, query): the answer's body or undefined, places: { orgs, projects }, edits }
async function entryOf([name, label, more = {}], schema, context) {
  const { from, places, roles: of, lead, list, preset, isMine, regionsOf, ...rest } = more, own = schema ? schemaOf(schema.properties?.[name] ?? {}) : {}, entry = { name, label, ...rest };
  if (list) entry.list = list.map((v) => [v]);
  if (places) { entry.list = context.places[places].map((o) => [o.id, String(o.name ?? o.id)]); entry.isStrict = true; }
  if (of && !context.edits) entry.schema = roles(of);
  if (from) {
    const all = (await context.ask(from[0], context.params, 'itemsPerPage=100'))?.results ?? [];
    entry.list = all.filter((o) => typeof o?.[from[1]] === 'string').map((o) => [o[from[1]], from[2] && typeof o[from[2]] === 'string' ? (isDate(o[from[2]]) ? utc(o[from[2]]) : o[from[2]]) : undefined]);
    entry.isStrict = Boolean(from[2]) && own.type !== 'array'; // ids must be chosen, not typed
    if (own.type === 'array' && entry.list.length) entry.schema = { items: { type: 'string', enum: entry.list.map(([v]) => v) } };
  }
  if (regionsOf) {
    const all = (await context.ask('listClusterProviderRegions', context.params))?.results ?? [];
    entry.within = { field: regionsOf, values: (cloud) => all.find((p) => p?.provider === cloud)?.instanceSizes?.[0]?.availableRegions?.map((r) => r.name) };
  }
  if (isMine) entry.mine = () => myAddress(context);
  if (preset !== undefined && !context.edits) entry.preset = preset === 'first' ? own.enum?.[0] : preset;
  if (lead) entry.lead = await Promise.all(lead.map((e) => entryOf(e, schemaOf(own.items ?? own), context)));
  return entry;
}

// The address of this browser as the service sees it: recent events of this account contain it.
async function myAddress({ ask, params, places, who }) {
  for (const [id, p] of [['listGroupEvents', params], ['listOrgEvents', { orgId: params.orgId ?? places.projects.find((o) => o.id === params.groupId)?.orgId }]]) {
    if (Object.values(p).some((v) => !v)) continue;
    const found = ((await ask(id, p, 'itemsPerPage=100'))?.results ?? []).find((e) => e?.delegatePrincipal?.id === who && e.remoteAddress);
    if (found) return found.remoteAddress;
  }
  return undefined;
}

// Returns { lead, price } for form().
export async function planOf(op, context) {
  const table = TABLE[op.id], schema = op.schema ? schemaOf(op.schema) : null;
  if (!table || !schema) return {};
  const base = schemaOf(schema.items ?? schema), hasPlace = table.includes('place');
  const [listed, skus] = await Promise.all([hasPlace ? context.ask('listClusterProviderRegions', context.params) : undefined, hasPlace || op.id === 'createFlexCluster' ? context.ask('listSkus', {}, 'itemsPerPage=500') : undefined]);
  const prices = pricesOf(skus?.results), place = hasPlace ? placeOf(base, listed?.results, prices, context.edits) : null;
  const lead = (await Promise.all(table.map((e) => (e === 'place' ? (place ? { name: place.shape.shards, field: Place, place } : null) : entryOf(e, base, context))))).filter(Boolean);
  const cost = place ? (v) => costOf(v, place.shape, prices) : prices.size ? (v) => { const each = prices.get('FLEX_' + v?.providerSettings?.backingProviderName); return each === undefined ? undefined : { sum: each, parts: [{ n: 1, size: 'flex cluster', each }] }; } : null;
  return { lead, price: cost ? pricePart(cost, context.edits) : null };
}

// ---- deletes: questions and warnings

// [whether the name must be typed, because data is lost; what is deleted with it]
const GOING = {
  deleteCluster: [true, 'Its databases are deleted, and its snapshots unless you retain them.'],
  deleteFlexCluster: [true, 'Its databases and its snapshots are deleted.'],
  deleteGroup: [true, 'Its database users, network access, alert configurations and API keys are deleted with it. A project that still has clusters cannot be deleted.'],
  deleteOrg: [true, 'Its members, teams, API keys and service accounts lose their access. An organization that still has projects cannot be deleted.'],
  deleteStreamWorkspace: [true, 'Its connections and stream processors are deleted.'],
  deleteDataFederation: [false, 'Its configuration is deleted; the data in its stores stays.'],
  deleteOnlineArchive: [false, 'The documents in the archive are deleted.'],
  deleteClusterBackupSnapshot: [false, 'Nothing can be restored from it any more.'],
  deleteDatabaseUser: [false, 'Programs that sign in as this user lose their access at once.'],
  deleteOrgServiceAccount: [false, 'Its secrets and tokens stop working at once.'],
  deleteOrgApiKey: [false, 'Programs that use this key lose their access at once.'],
  deleteAccessListEntry: [false, 'Clients at this address can no longer connect.'],
};
export const goingOf = (op) => { const [isTyped, text] = GOING[op.id] ?? [false, '']; return { isTyped, text }; };
