// Facts that the document lacks: what must exist before an operation can succeed, and its names, each with the
// reason. test/world.c has the same for the tests in C.

// Ids in examples that stand for a user in the organization, and for another organization of the caller.
export const samples = { user: '5f00000000000000000000aa', org: '5f00000000000000000000bb' };

const CLUSTERS = '/groups/{groupId}/clusters';
const CLUSTER = `${CLUSTERS}/{clusterName}`;
const FLEX = '/groups/{groupId}/flexClusters';
const GLOBAL = `${CLUSTER}/globalWrites`;
const KEYS = '/groups/{groupId}/encryptionAtRest';
const QUERY_LIMIT = '/groups/{groupId}/dataFederation/{tenantName}/limits/{limitName}';
const SHAPE = `${CLUSTER}/queryShapes/{queryShapeHash}`;
const FEDERATION = '/federationSettings/{federationSettingsId}';
const PROVIDERS = `${FEDERATION}/identityProviders`;
const CONNECTED = `${FEDERATION}/connectedOrgConfigs/{orgId}`;
const PROCESSOR = '/groups/{groupId}/streams/{tenantName}/processor/{processorName}';
const INDEX = '/groups/{groupId}/hosts/{processId}/fts/metrics/indexes/{databaseName}/{collectionName}/{indexName}';
const INDEXES = `${CLUSTER}/search/indexes`;
const SNAPSHOTS = `${CLUSTER}/backup/snapshots`;
const DEPLOYMENT = `${CLUSTER}/search/deployment`;
const POLICY = '/groups/{groupId}/backupCompliancePolicy';
const SAMPLE = '/groups/{groupId}/sampleDatasetLoad/{sampleDatasetId}';
const PEERING = '/groups/{groupId}/streams/vpcPeeringConnections';
const NOBODY = '0123456789abcdef01234567';
const ROLES = '/groups/{groupId}/cloudProviderAccess';

const GEO = [['PATCH', CLUSTER, { clusterType: 'GEOSHARDED' }]];
// An outage must leave one region: the cluster gets a second one.
const TWO_REGIONS = [['PATCH', CLUSTER, { replicationSpecs: [{ regionConfigs: [
  { providerName: 'AWS', regionName: 'US_WEST_2', priority: 7, electableSpecs: { instanceSize: 'M30', nodeCount: 2 } },
  { providerName: 'AWS', regionName: 'US_EAST_1', priority: 6, electableSpecs: { instanceSize: 'M30', nodeCount: 1 } }] }] }, 'at rest']];
// Data comes from the linked organization; in the simulation the example's source is a cluster of the same project.
const LINKED = [['POST', '/orgs/{orgId}/liveMigrations/linkTokens', {}], ['POST', CLUSTERS, { name: 'Old', clusterType: 'REPLICASET', replicationSpecs: [{ regionConfigs: [
  { providerName: 'AWS', regionName: 'US_EAST_1', priority: 7, electableSpecs: { instanceSize: 'M30', nodeCount: 3 } }] }] }, 'at rest']];
const X509 = [['POST', '/groups/{groupId}/databaseUsers', { databaseName: '$external', username: 'CN=app', x509Type: 'MANAGED',
  roles: [{ roleName: 'read', databaseName: 'a' }] }]];
const WATCHED = [['POST', '/groups/{groupId}/alertConfigs', { enabled: true, eventTypeName: 'OUTSIDE_METRIC_THRESHOLD', metricThreshold: {
  metricName: 'CONNECTIONS', operator: 'GREATER_THAN', threshold: -1 }, notifications: [{ typeName: 'GROUP', emailEnabled: true }] }],
['POST', CLUSTERS]];

// Requests to send first: [method, path, body]; without a body its example. A POST with its example reuses an existing resource,
// unless it is marked 'sent'. 'at rest': time passes afterwards.
export const first = {
  'POST /groups/{groupId}/userSecurity/ldap/verify': [['POST', CLUSTERS]], // nodes of a cluster try the connection
  'GET /groups/{groupId}/userSecurity/ldap/verify/{requestId}': [['POST', CLUSTERS, undefined, 'at rest']],
  'DELETE /orgs/{orgId}': [['DELETE', '/groups/{groupId}']], // an organization with projects cannot be deleted
  'POST /groups/{groupId}/maintenanceWindow/defer': [ // only scheduled maintenance can be deferred
    ['PATCH', '/groups/{groupId}/maintenanceWindow', { dayOfWeek: 1, startASAP: true }]],
  'PATCH /orgs/{orgId}/invites': [['POST', '/orgs/{orgId}/invites']], // its body names the invitation
  'PATCH /groups/{groupId}/invites': [['POST', '/groups/{groupId}/invites']],
  [`POST ${GLOBAL}/customZoneMapping`]: GEO, // only clusters of this type have zones
  [`DELETE ${GLOBAL}/customZoneMapping`]: GEO,
  [`POST ${GLOBAL}/managedNamespaces`]: GEO,
  [`DELETE ${GLOBAL}/managedNamespaces`]: [...GEO, ['POST', `${GLOBAL}/managedNamespaces`, { collection: 'a', customShardKey: 'b', db: 'a' }]],
  [`POST ${CLUSTERS}/tenantUpgrade`]: [['POST', CLUSTERS, { name: 'Shared', clusterType: 'REPLICASET', replicationSpecs: [{ regionConfigs: [{
    providerName: 'TENANT', backingProviderName: 'AWS', regionName: 'US_EAST_1', electableSpecs: { instanceSize: 'M0' } }] }] }]],
  [`POST ${CLUSTERS}/tenantUpgradeToServerless`]: [['POST', CLUSTERS, { name: 'Free', clusterType: 'REPLICASET', replicationSpecs: [{ regionConfigs: [{
    providerName: 'TENANT', backingProviderName: 'AWS', regionName: 'US_EAST_1', electableSpecs: { instanceSize: 'M0' } }] }] }]],
  'POST /orgs/{orgId}/teams/{teamId}:removeUser': [['POST', '/orgs/{orgId}/teams/{teamId}:addUser']],
  'POST /orgs/{orgId}/users/{userId}:removeRole': [['POST', '/orgs/{orgId}/users/{userId}:addRole']],
  'POST /groups/{groupId}/users/{userId}:removeRole': [['POST', '/groups/{groupId}/users/{userId}:addRole']],
  'POST /groups/{groupId}/liveMigrations': LINKED,
  'GET /groups/{groupId}/liveMigrations/{liveMigrationId}': LINKED,
  'PUT /groups/{groupId}/liveMigrations/{liveMigrationId}/cutover': LINKED,
  'POST /groups/{groupId}/liveMigrations/validate': LINKED,
  'GET /groups/{groupId}/liveMigrations/validate/{validationId}': LINKED,
  'DELETE /orgs/{orgId}/liveMigrations/linkTokens': [['POST', '/orgs/{orgId}/liveMigrations/linkTokens']], // the answer may be empty
  'PATCH /groups/{groupId}/pushBasedLogExport': [['POST', '/groups/{groupId}/pushBasedLogExport']],
  'POST /groups/{groupId}/databaseUsers/{username}/certs': X509, // a user who has certificates
  'GET /groups/{groupId}/databaseUsers/{username}/certs': X509,
  [`POST ${KEYS}/{cloudProvider}/privateEndpoints`]: [['PATCH', KEYS]], // private endpoints for keys in use
  [`GET ${KEYS}/{cloudProvider}/privateEndpoints`]: [['PATCH', KEYS]],
  [`GET ${KEYS}/{cloudProvider}/privateEndpoints/{endpointId}`]: [['PATCH', KEYS]],
  [`DELETE ${KEYS}/{cloudProvider}/privateEndpoints/{endpointId}`]: [['PATCH', KEYS]],
  [`GET ${QUERY_LIMIT}`]: [['PATCH', QUERY_LIMIT, { value: 5 }]], // a limit exists after it was set
  [`DELETE ${QUERY_LIMIT}`]: [['PATCH', QUERY_LIMIT, { value: 5 }]],
  [`GET ${SHAPE}`]: [['PATCH', SHAPE]], // a shape exists after it was rejected
  [`GET ${CLUSTER}/queryShapeInsights/{queryShapeHash}/details`]: [['PATCH', SHAPE]],
  [`POST ${FLEX}:tenantUpgrade`]: [['POST', FLEX]], // its body names the cluster
  'GET /orgs/{orgId}/invoices/pending': [['POST', CLUSTERS]], // an invoice needs something billable
  'GET /orgs/{orgId}/invoices/{invoiceId}': [['POST', CLUSTERS]],
  'GET /orgs/{orgId}/invoices/{invoiceId}/csv': [['POST', CLUSTERS]],
  'GET /orgs/{orgId}/invoices/{invoiceId}/lineItems:search': [['POST', CLUSTERS]],
  'GET /groups/{groupId}/alerts/{alertId}': WATCHED, // an alert needs something that is watched, and takes time
  'GET /groups/{groupId}/alerts/{alertId}/alertConfigs': WATCHED,
  'PATCH /groups/{groupId}/alerts/{alertId}': WATCHED,
  [`GET ${DEPLOYMENT}`]: [['POST', DEPLOYMENT]], // the only one of its cluster, exists after it was created
  [`PATCH ${DEPLOYMENT}`]: [['POST', DEPLOYMENT]],
  [`DELETE ${DEPLOYMENT}`]: [['POST', DEPLOYMENT]],
  [`POST ${CLUSTER}/outageSimulation`]: TWO_REGIONS,
  [`GET ${CLUSTER}/outageSimulation`]: [...TWO_REGIONS, ['POST', `${CLUSTER}/outageSimulation`]],
  [`DELETE ${CLUSTER}/outageSimulation`]: [...TWO_REGIONS, ['POST', `${CLUSTER}/outageSimulation`]],
  // lists that other requests fill
  [`GET ${CLUSTER}/backup/snapshots/shardedClusters`]: [['POST', SNAPSHOTS]],
  'GET /groups/{groupId}/dataFederation/{tenantName}/limits': [['PATCH', QUERY_LIMIT, { value: 5 }]],
  'GET /groups/{groupId}/integrations': [['POST', '/groups/{groupId}/integrations/{integrationType}', undefined, 'sent']],
  'GET /groups/{groupId}/alerts': WATCHED,
  'GET /groups/{groupId}/alertConfigs/{alertConfigId}/alerts': [['POST', CLUSTERS]],
  'GET /orgs/{orgId}/invoices': [['POST', CLUSTERS]],
  'GET /groups/{groupId}/processes': [['POST', CLUSTERS]],
  [`GET ${CLUSTER}/queryShapes`]: [['PATCH', SHAPE]],
  'GET /groups/{groupId}/containers/all': [['POST', '/groups/{groupId}/containers']],
  'GET /groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService': [['POST', '/groups/{groupId}/privateEndpoint/endpointService']],
  [`GET ${INDEXES}/{databaseName}/{collectionName}`]: [['POST', INDEXES]],
  [`GET ${CLUSTER}/fts/indexes/{databaseName}/{collectionName}`]: [['POST', `${CLUSTER}/fts/indexes`]],
  'GET /groups/{groupId}/streams/{tenantName}/processors': [['POST', '/groups/{groupId}/streams/{tenantName}/processor']],
  [`GET ${POLICY}`]: [['PUT', POLICY]],
  [`DELETE ${POLICY}`]: [['PUT', POLICY]],
  [`PATCH ${CLUSTER}/collStats/unpin`]: [['PATCH', `${CLUSTER}/collStats/pinned`]], // only a pinned one can be unpinned
  [`POST ${PROCESSOR}:stop`]: [['POST', `${PROCESSOR}:start`]], // only a running one can be stopped
};

// The resource of the path is created with another body than the example.
export const instead = {
  'GET /groups/{groupId}/alertConfigs/{alertConfigId}/alerts': { path: WATCHED[0][1], body: WATCHED[0][2] }, // a configuration that finds something
  [`DELETE ${PROVIDERS}/{identityProviderId}/jwks`]: { path: PROVIDERS, body: { protocol: 'OIDC', displayName: 'Acme', audience: 'acme',
    issuerUri: 'https://idp.example.com/acme', authorizationType: 'USER', clientId: 'acme' } }, // only OIDC has keys that can be revoked
};

// Bodies for operations without an example, or whose example is for a user: a credential has one organization and is not a user.
export const bodies = {
  createOrg: (world) => ({ name: 'Third', orgOwnerId: world.user }),
  searchInvoiceLineItems: () => undefined, // a GET, whose body is optional: fetch sends none
  updateApiKeyRoles: () => ({ roles: ['GROUP_READ_ONLY'] }), // no GET of its path shows the roles
};

// A resource that needs a change before it is usable: it is changed right after its creation.
export const then = {
  [ROLES]: { providerName: 'AWS', iamAssumedRoleArn: 'arn:aws:iam::123456789012:role/svc' },
};

// Operations whose resource takes time to become available: at rest, created, copied.
export const later = new Set(['GET /groups/{groupId}/alerts', 'GET /orgs/{orgId}/invoices', 'GET /groups/{groupId}/alertConfigs/{alertConfigId}/alerts', 'GET /groups/{groupId}/processes', 'POST /groups/{groupId}/userSecurity/ldap/verify',
  `POST ${FLEX}:tenantUpgrade`, `POST ${CLUSTERS}/tenantUpgradeToServerless`, 'GET /orgs/{orgId}/billing/costExplorer/usage/{token}',
  'PUT /groups/{groupId}/liveMigrations/{liveMigrationId}/cutover']);

const host = (upTo) => async (world) => {
  const name = await world.one(CLUSTERS);
  const path = `/groups/${world.group}/clusters/${name}`;
  let cluster = await world.must('GET', path);
  if (!cluster.connectionStrings.standard) { // there are no hosts before the creation has ended
    await world.pass(600);
    cluster = await world.must('GET', path);
  }
  return cluster.connectionStrings.standard.split('://')[1].split(upTo)[0];
};
const index = (field) => async (world) => {
  const id = await world.one(INDEXES), cluster = await world.one(CLUSTERS);
  return (await world.must('GET', `/groups/${world.group}/clusters/${cluster}/search/indexes/${id}`))[field];
};
const integration = (world) => world.byPath.get('POST /groups/{groupId}/integrations/{integrationType}').example.type;
const listedAddress = (scope) => async (world) => { // the answer is a list with one item
  const account = await world.one(`${scope}/serviceAccounts`), where = scope.startsWith('/orgs') ? `/orgs/${world.org}` : `/groups/${world.group}`;
  const list = await world.must('POST', `${where}/serviceAccounts/${account}/accessList`, [{ ipAddress: '127.0.0.1' }, { ipAddress: '192.0.2.1' }]);
  return list.results.at(-1).ipAddress;
};
const federation = async (world) => (await world.must('GET', `/orgs/${world.org}/federationSettings`)).id;

// Known parameters, by "path parameter" or by the parameter alone: they name a resource by another value than its own key.
export const values = {
  hostName: host(/[:,/]/), hostname: host(/[:,/]/), processId: host(/[,/]/),
  cloudProvider: 'AWS', clusterView: 'PRIMARY', logName: 'db', federationSettingsId: federation,
  queryShapeHash: 'ABCDEF00'.repeat(8),
  '/groups/{groupId}/databaseUsers/{username}/certs username': 'CN%3Dapp',
  [`${QUERY_LIMIT} limitName`]: 'bytesProcessed.query',
  '/groups/byName/{groupName} groupName': 'alpha',
  '/orgs/{orgId}/teams/byName/{teamName} teamName': async (world) =>
    encodeURIComponent((await world.must('GET', `/orgs/${world.org}/teams/${await world.one('/orgs/{orgId}/teams')}`)).name),
  [`POST ${SAMPLE} sampleDatasetId`]: (world) => world.one(CLUSTERS), // a load is requested by the name of its cluster
  [`GET ${SAMPLE} sampleDatasetId`]: async (world) =>
    (await world.must('POST', `/groups/${world.group}/sampleDatasetLoad/${await world.one(CLUSTERS)}`))._id,
  '/orgs/{orgId}/serviceAccounts/{clientId}/accessList/{ipAddress} ipAddress': listedAddress('/orgs/{orgId}'),
  '/groups/{groupId}/serviceAccounts/{clientId}/accessList/{ipAddress} ipAddress': listedAddress('/groups/{groupId}'),
  'POST /groups/{groupId}/integrations/{integrationType} integrationType': integration,
  '/groups/{groupId}/integrations/{integrationType} integrationType': async (world) => {
    const op = world.byPath.get('POST /groups/{groupId}/integrations/{integrationType}');
    await world.must('POST', `/groups/${world.group}/integrations/${integration(world)}`, op.example);
    return integration(world);
  },
  [`${CLUSTER}/{clusterView}/{databaseName}/{collectionName}/collStats/measurements databaseName`]: 'a', // any value works
  [`${CLUSTER}/{clusterView}/{databaseName}/{collectionName}/collStats/measurements collectionName`]: 'a',
  '/groups/{groupId}/processes/{processId}/{databaseName}/{collectionName}/collStats/measurements databaseName': 'a',
  '/groups/{groupId}/processes/{processId}/{databaseName}/{collectionName}/collStats/measurements collectionName': 'a',
  [`DELETE ${PEERING}/{id} id`]: NOBODY,
  [`POST ${PEERING}/{id}:accept id`]: NOBODY,
  [`POST ${PEERING}/{id}:reject id`]: NOBODY,
  '/users/byName/{userName} userName': 'ada%40example.com',
  '/groups/{groupId}/hosts/{processId}/fts/metrics/indexes/{databaseName}/{collectionName}/measurements databaseName': index('database'),
  '/groups/{groupId}/hosts/{processId}/fts/metrics/indexes/{databaseName}/{collectionName}/measurements collectionName': index('collectionName'),
  [`${INDEXES}/{databaseName}/{collectionName} databaseName`]: index('database'),
  [`${INDEXES}/{databaseName}/{collectionName} collectionName`]: index('collectionName'),
  [`${CLUSTER}/fts/indexes/{databaseName}/{collectionName} databaseName`]: 'sample_mflix', // the values of the example
  [`${CLUSTER}/fts/indexes/{databaseName}/{collectionName} collectionName`]: 'movies',
  '/orgs/{orgId}/serviceAccounts/{clientId}/groups clientId': (world) => world.one('/groups/{groupId}/serviceAccounts'), // an account that has some
  [`${INDEXES}/{databaseName}/{collectionName}/{indexName} databaseName`]: index('database'),
  [`${INDEXES}/{databaseName}/{collectionName}/{indexName} collectionName`]: index('collectionName'),
  [`${INDEXES}/{databaseName}/{collectionName}/{indexName} indexName`]: index('name'),
  [`${INDEX}/measurements databaseName`]: index('database'),
  [`${INDEX}/measurements collectionName`]: index('collectionName'),
  [`${INDEX}/measurements indexName`]: index('name'),
};

// Parameters whose resource is created at another path than it is read: the collection.
export const named = {
  '/groups/{groupId}/dbAccessHistory/clusters clusterName': CLUSTERS,
  [`${CLUSTER}/backup/snapshots/shardedCluster snapshotId`]: SNAPSHOTS,
  '/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService endpointServiceId': '/groups/{groupId}/privateEndpoint/endpointService',
  [`${ROLES}/{cloudProvider} roleId`]: ROLES,
};

// Ids in examples, by their member: the collection.
export const ids = {
  teamId: '/orgs/{orgId}/teams', iamRoleId: ROLES, roleId: ROLES, containerId: '/groups/{groupId}/containers', snapshotId: SNAPSHOTS,
  [`${FLEX}/{name}/backup/restoreJobs snapshotId`]: `${FLEX}/{name}/backup/snapshots`,
  [`${FLEX}/{name}/backup/download snapshotId`]: `${FLEX}/{name}/backup/snapshots`,
  exportBucketId: '/groups/{groupId}/backup/exportBuckets', connectionId: '/groups/{groupId}/streams/privateLinkConnections',
};

// Members of examples that must name existing resources, by operation: the collection.
export const refs = {
  '/groups/{groupId}/liveMigrations': { 'destination.clusterName': CLUSTERS },
  '/groups/{groupId}/liveMigrations/validate': { 'destination.clusterName': CLUSTERS },
};

// Query parameters that must be given, although none of them is required by itself.
const LATELY = { period: 'PT5M' };
export const queries = {
  '/groups/{groupId}/processes/{processId}/measurements': LATELY,
  '/groups/{groupId}/processes/{processId}/databases/{databaseName}/measurements': LATELY,
  '/groups/{groupId}/processes/{processId}/disks/{partitionName}/measurements': LATELY,
  '/groups/{groupId}/hosts/{processId}/fts/metrics/measurements': LATELY,
  [`${INDEX}/measurements`]: LATELY,
  '/groups/{groupId}/hosts/{processId}/fts/metrics/indexes/{databaseName}/{collectionName}/measurements': LATELY,
};

// Lists whose entries appear by themselves every day.
export const daily = new Set(['listClusterBackupCheckpoints', 'listClusterSnapshots', 'listFlexBackupSnapshots', 'searchInvoiceLineItems']);

// Other successful answers of an operation, and their conditions.
export const extras = {
  addGroupUser: { status: 204, body: { username: 'ada@example.com', roles: ['GROUP_READ_ONLY'] } }, // a member gets it at once
  getCostExplorerUsage: { status: 202 }, // the result is not ready yet
};

// Lists that are empty here, and why.
export const empty = {
  listAvailableProjects: 'only an agent of a migration tells of projects elsewhere',
  getNonCompliantResources: 'nothing is made here that a policy forbids',
  listActivePeeringConnections: 'only a driver knows of connections that others ask for',
  listVpcPeeringConnections: 'the same',
};

// Fields that a PATCH needs although the document does not require them, and why.
export const needs = {
  updatePrivateEndpointService: ['cloudProvider'], // it is read-only in a GET, and so in a body that is sent back
};

// Operations that cannot succeed here, and why.
export const elsewhere = {
  migrateGroup: [404, 'a credential belongs to one organization, and sees no other that a project could go to'],
  deleteVpcPeeringConnection: [404, 'only a driver knows of connections that others ask for: the simulation has none'],
  removeConnectedOrgConfig: [409, 'only one of several organizations is disconnected, and a credential belongs to one'],
  acceptVpcPeeringConnection: [404, 'the same'],
  rejectVpcPeeringConnection: [404, 'the same'],
};
