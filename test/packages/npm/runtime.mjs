// The module in whichever runtime runs this file (Node, Deno, Bun): node runtime.mjs. The script uses no module of Node, so that each runtime
// shows what the runtime itself has. The script prints ok and the runtime's name, or throws.
import { open, SvcapiError } from 'svcapi';

const equal = (got, wanted, what) => { if (got !== wanted) throw new Error(`${what} is ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`); };
const runtime = globalThis.Deno ? `Deno ${Deno.version.deno}` : globalThis.Bun ? `Bun ${Bun.version}` : `Node ${process.versions.node}`;

const svc = await open({ clock: '2030-01-01T00:00:00Z', seed: 1, world: 'team' });
const clusters = `${svc.url}/api/svc/v2/groups/${svc.credentials.groupId}/clusters`;
const headers = { Authorization: `Bearer ${svc.token()}`, 'Content-Type': 'application/json' };
const body = JSON.stringify({ name: 'runtime', clusterType: 'REPLICASET', replicationSpecs: [{ regionConfigs: [{ providerName: 'AWS', regionName: 'US_EAST_1',
  priority: 7, electableSpecs: { instanceSize: 'M10', nodeCount: 3 } }] }] });
const state = async () => (await (await svc.fetch(`${clusters}/runtime`, { headers })).json()).stateName;

const made = await svc.fetch(clusters, { method: 'POST', headers, body });
equal(made.status, 201, 'the status of the new cluster');
equal(made.headers.get('content-type')?.startsWith('application/'), true, 'a Content-Type of JSON');
equal(await state(), 'CREATING', 'the state of the new cluster');
const before = svc.snapshot();
svc.clock.advance('30m'); // a token lasts an hour
equal(svc.clock.now().toISOString(), '2030-01-01T00:30:00.000Z', 'the time after clock.advance()');
equal(await state(), 'IDLE', 'the state half an hour later');

// A snapshot as bytes goes into another instance of the module, which has credentials of its own.
const other = await open({ clock: '2030-01-01T00:00:00Z', seed: 2, snapshot: before.bytes() });
equal(other.request('GET', `${clusters.slice(svc.url.length)}/runtime`).json.stateName, 'CREATING', 'the state in the snapshot');
other.close();

// The global fetch(), a Request with a stream for its body, and a lost answer.
const undo = svc.install();
const request = new Request(clusters, { method: 'POST', headers, body: body.replace('"runtime"', '"streamed"') });
equal((await fetch(request)).status, 201, 'the status of a Request');
svc.faults.add({ operation: 'listClusters', drop: 'after', count: 1 });
equal(await fetch(clusters, { headers }).then(() => 'an answer', (error) => error.name), 'TypeError', 'what a lost answer becomes');
undo();
svc.close();
try {
  svc.now();
  throw new Error('a closed service still answers');
} catch (error) {
  if (!(error instanceof SvcapiError)) throw error;
}
console.log(`ok ${runtime}`);
