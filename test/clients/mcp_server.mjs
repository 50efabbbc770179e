// The vendor's assistant server (npm package mongodb-mcp-server), over https with a token: it requests its own address, creates a project, a free
// cluster, an access list and a database user; it upgrades the free cluster, and pauses a cluster and resumes it. It can delete nothing. It accepts
// only certificates of the system's authorities, so this test turns the verification off.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { check, until, withService } from './common.mjs';

// JSON-RPC over standard input and output, one message per line.
function assistant({ base, boot }) {
  const child = spawn('node', ['build/clients/node_modules/.bin/mongodb-mcp-server'], {
    env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1', MDB_MCP_TELEMETRY: 'disabled', MDB_MCP_API_BASE_URL: base,
      MDB_MCP_API_CLIENT_ID: boot.clientId, MDB_MCP_API_CLIENT_SECRET: boot.clientSecret },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map();
  let count = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (method, params) => new Promise((resolve) => {
    waiting.set(++count, resolve);
    send({ id: count, method, params });
  });
  return {
    async begin() {
      await ask('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'svcapi', version: '1' } });
      send({ method: 'notifications/initialized' });
    },
    async call(name, args) {
      const { result, error } = await ask('tools/call', { name, arguments: args });
      const text = JSON.stringify(result ?? error);
      check(result && !result.isError, `${name}: ${text}`);
      return text;
    },
    end: () => child.kill(),
  };
}

await withService(async (service) => {
  const tools = assistant(service);
  try {
    await tools.begin();
    check((await tools.call('atlas-list-orgs', {})).includes(service.boot.orgId), 'the organization is not listed');
    await tools.call('atlas-create-project', { projectName: 'by-assistant', orgId: service.boot.orgId });
    const ids = (await tools.call('atlas-list-projects', {})).match(/[0-9a-f]{24}/g);
    const projectId = ids.find((id) => id !== service.boot.orgId && id !== service.boot.groupId);
    await tools.call('atlas-create-free-cluster', { projectId, name: 'Free', region: 'US_EAST_1' });
    await tools.call('atlas-create-access-list', { projectId, ipAddresses: ['192.0.2.9'], currentIpAddress: true });
    await tools.call('atlas-create-db-user', { projectId, username: 'bot', roles: [{ roleName: 'readWrite', databaseName: 'shop' }] });
    const inspect = (clusterName) => tools.call('atlas-inspect-cluster', { projectId, clusterName });
    await until('the free cluster is there', async () => (await inspect('Free')).includes('IDLE'));
    await tools.call('atlas-create-cluster', { projectId, clusterName: 'Large', provider: 'AWS', regions: ['US_EAST_1'] });
    await until('the large cluster is there', async () => (await inspect('Large')).includes('IDLE'));
    await tools.call('atlas-pause-resume-cluster', { projectId, clusterName: 'Large', action: 'PAUSE' });
    await tools.call('atlas-pause-resume-cluster', { projectId, clusterName: 'Large', action: 'RESUME' });
    await tools.call('atlas-upgrade-cluster', { projectId, clusterName: 'Large', targetTier: 'M20' });
    await until('the large cluster is larger', async () => (await inspect('Large')).includes('M20'));
    await tools.call('atlas-upgrade-cluster', { projectId, clusterName: 'Free' });
    await until('the free cluster is a flex cluster', async () => (await inspect('Free')).includes('FLEX'));
  } finally {
    tools.end();
  }
}, 'https');
console.log('mongodb-mcp-server: ok');
