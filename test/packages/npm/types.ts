// The type definitions of svcapi and svcapi/server, for tsc --strict: every member is used with the type that the documentation promises. Nobody runs
// this file. A line below @ts-expect-error is a mistake of a caller, and tsc fails if the definitions let it pass.
import { Answer, BASE_URL, open, Service, SvcapiError } from 'svcapi';
import type { Clock, Credentials, Duration, FaultRule, Faults, Options, Snapshot, Time } from 'svcapi';
import { program, Server, start } from 'svcapi/server';
import type { ServerOptions } from 'svcapi/server';

// Exactly<A, B> is true only for equal types: `any` and a wider type are different from the type that is asked for.
type Exactly<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
function is<A, B>(same: Exactly<A, B>): void { void same; }

const times: Time[] = [new Date(0), 0, '2030-01-01T00:00:00Z'];
const durations: Duration[] = [90, '15m'];
const base: string = BASE_URL;

const full: Required<Options> = {
  clock: times[0], rate: 60, seed: 1, world: 'team', snapshot: new Uint8Array(), baseUrl: base, journal: 0, provisionSeconds: 0, delays: 'none',
  config: { limiter_off: true }, wasm: new URL('file:///svcapi.wasm'),
};
const others: Options[] = [{}, { world: { organizations: [] } }, { delays: 'real' }, { wasm: 'svcapi.wasm' }, { wasm: new ArrayBuffer(8) },
  { wasm: new Uint8Array(8) }, { wasm: new WebAssembly.Module(new Uint8Array(8)) }];
is<keyof Options, 'clock' | 'rate' | 'seed' | 'world' | 'snapshot' | 'baseUrl' | 'journal' | 'provisionSeconds' | 'delays' | 'config' | 'wasm'>(true);
// @ts-expect-error: open() has no such option
const unknownOption: Options = { speed: 2 };
// @ts-expect-error: delays is "real" or "none"
const wrongDelays: Options = { delays: 'some' };

function answers(answer: Answer): void {
  is<typeof answer.status, number>(true);
  is<typeof answer.headers, Headers>(true);
  is<typeof answer.text, string>(true);
  is<typeof answer.operation, string | undefined>(true);
  is<typeof answer.dropped, boolean>(true);
  is<typeof answer.delayMs, number>(true);
  const bytes: Uint8Array = answer.bytes;
  const name: string = answer.json.results[0].name;
  // @ts-expect-error: an answer is read only
  answer.status = 200;
  void [bytes, name];
}

function errors(error: unknown): string {
  if (!(error instanceof SvcapiError)) return '';
  const plain: Error = error;
  is<typeof error.status, number | undefined>(true);
  is<typeof error.errorCode, string | undefined>(true);
  is<typeof error.answer, Answer | undefined>(true);
  return plain.message;
}

function clocks(clock: Clock): Date[] {
  // @ts-expect-error: advance() wants to know by how much
  clock.advance();
  return [clock.now(), ...durations.map((by) => clock.advance(by)), ...times.map((time) => clock.set(time)), clock.next(), clock.rate(60)];
}

const rule: Required<Omit<FaultRule, number>> & FaultRule = { operation: 'listGroups', kind: 'answer', status: 503, errorCode: 'UNEXPECTED_ERROR', drop: 'after',
  delayMs: 100, count: 1, chance: 0.5, group: 'a member that this version of the definitions does not know' };
const kinds: FaultRule[] = [{ kind: 'expiredToken' }, { kind: 'staleNonce' }, { drop: 'before' }];
// @ts-expect-error: an answer is lost before or after its effect
const wrongDrop: FaultRule = { drop: 'during' };

function faults(of: Faults): void {
  const { id, status } = of.add(rule);
  is<typeof id, number>(true);
  is<typeof status, number | undefined>(true);
  const struck = of.list().map((each) => each.struck + each.id);
  is<typeof struck, number[]>(true);
  is<ReturnType<typeof of.remove>, void>(true);
  of.remove(id);
  of.clear();
}

function snapshots(snapshot: Snapshot): Uint8Array {
  snapshot.restore();
  const bytes = snapshot.bytes();
  snapshot.free();
  return bytes;
}

function texts({ orgId, groupId, publicKey, privateKey, clientId, clientSecret }: Credentials): string[] {
  return [orgId, groupId, publicKey, privateKey, clientId, clientSecret];
}

async function service(): Promise<void> {
  const svc = await open(full);
  is<typeof svc, Service>(true);
  for (const options of others) (await open(options)).close();
  (await open()).close();
  const urls: string[] = [svc.url, svc.version, ...texts(svc.credentials)];
  clocks(svc.clock);
  faults(svc.faults);

  const fetching: typeof globalThis.fetch = svc.fetch;
  const response: Response = await fetching(new Request(svc.url), { signal: AbortSignal.timeout(1000) });
  const undo = svc.install();
  is<typeof undo, () => void>(true);
  svc.install({ fetch: globalThis.fetch })();
  undo();

  answers(svc.request('GET', '/api/svc/v2/orgs'));
  answers(svc.request('POST', '/api/svc/v2/groups', { name: 'shop' }, { Accept: 'application/json' }));
  answers(svc.call('GET', '/api/svc/v2', 'Accept: application/json\n'));
  answers(svc.call('POST', '/api/svc/v2/groups', '', new Uint8Array(2)));
  answers(svc.call('POST', '/api/svc/v2/groups', '', '{}'));
  answers(svc.control('GET', 'clock'));
  answers(svc.control('POST', 'clock', { advanceSeconds: 60 }));
  const token: string = svc.token();
  const now: number = svc.now();
  const taken: boolean[] = [svc.takes(svc.url), svc.takes(new URL(svc.url))];

  const bytes = snapshots(svc.snapshot());
  snapshots(svc.load(bytes));
  const requests: any[] = [svc.journal(), svc.journal({ limit: 10 }), svc.journal({ har: false })].flat();
  const archive: object = svc.journal({ limit: 10, har: true }).log;
  // @ts-expect-error: a HAR is an object with a log, not a list
  svc.journal({ har: true }).length;
  svc.clearJournal();
  svc.world('{}');
  svc.world({ organizations: [] });
  svc.reset();
  svc.close();
  // @ts-expect-error: the members of a service are read only
  svc.credentials = undefined;
  void [urls, response, token, now, taken, requests, archive];
}

const serverFull: Required<ServerOptions> = { clock: times[2], rate: 60, seed: 1, world: 'company', provisionSeconds: 0, flags: ['--limiter-off'], timeoutSeconds: 60 };
is<keyof ServerOptions, 'clock' | 'rate' | 'seed' | 'world' | 'provisionSeconds' | 'flags' | 'timeoutSeconds'>(true);
// @ts-expect-error: svcd reads a world from a file or by its name
const wrongWorld: ServerOptions = { world: { organizations: [] } };

async function server(): Promise<void> {
  const svcd = await start(serverFull);
  is<typeof svcd, Server>(true);
  const path: string = program();
  const known: string[] = [svcd.url, svcd.controlToken, ...texts(svcd.credentials), await svcd.token()];
  const moved: Date[] = [await svcd.clock.now(), await svcd.clock.advance(60), await svcd.clock.set(times[0]), await svcd.clock.next(), await svcd.clock.rate(60)];
  const { id } = await svcd.faults.add(rule);
  const struck: number[] = (await svcd.faults.list()).map((each) => each.struck);
  await svcd.faults.remove(id);
  await svcd.faults.clear();
  const response: Response = await svcd.control('POST', 'clock', { advanceSeconds: 60 });
  const requests = await svcd.journal();
  const archive = await svcd.journal({ limit: 10, har: true });
  await svcd.reset();
  is<ReturnType<typeof svcd.stop>, Promise<void>>(true);
  await svcd.stop();
  void [path, known, moved, struck, response, requests, archive];
  await (await start()).stop();
}

// Every public member is named above: a member that the definitions gain fails here until this file uses it.
is<keyof Service, 'url' | 'version' | 'credentials' | 'clock' | 'faults' | 'fetch' | 'install' | 'request' | 'call' | 'control' | 'token' | 'now' | 'takes' | 'reset' |
  'snapshot' | 'load' | 'journal' | 'clearJournal' | 'world' | 'close'>(true);
is<keyof Answer, 'status' | 'headers' | 'bytes' | 'text' | 'json' | 'operation' | 'dropped' | 'delayMs'>(true);
is<keyof Clock, 'now' | 'advance' | 'set' | 'next' | 'rate'>(true);
is<keyof Faults, 'add' | 'list' | 'remove' | 'clear'>(true);
is<keyof Snapshot, 'restore' | 'bytes' | 'free'>(true);
is<keyof Credentials, 'orgId' | 'groupId' | 'publicKey' | 'privateKey' | 'clientId' | 'clientSecret'>(true);
is<keyof Server, 'url' | 'controlToken' | 'credentials' | 'clock' | 'faults' | 'control' | 'token' | 'reset' | 'journal' | 'stop'>(true);
is<keyof Server['clock'], 'now' | 'advance' | 'set' | 'next' | 'rate'>(true);
is<keyof Server['faults'], 'add' | 'list' | 'remove' | 'clear'>(true);

export { errors, kinds, server, service, unknownOption, wrongDelays, wrongDrop, wrongWorld };
