/** An answer of the service. */
export declare class Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The parsed body; undefined if it is empty or not JSON. */
  readonly json: any;
  /** The operationId of the request; undefined if no operation has this path. */
  readonly operation?: string;
  /** A fault dropped this answer: a client with a connection would not receive it. */
  readonly dropped: boolean;
  /** Milliseconds by which a fault delays this answer. */
  readonly delayMs: number;
}

export declare class SvcapiError extends Error {
  readonly status?: number;
  readonly errorCode?: string;
  readonly answer?: Answer;
}

/** A time: a Date, milliseconds since 1970, or ISO 8601 text. */
export type Time = Date | number | string;
/** A duration: seconds, or text such as "90s", "15m", "2h" or "1d". */
export type Duration = number | string;

export interface Options {
  /** The clock stays at this time until clock.advance() or clock.set() moves it. Default: the time in a world's `now`, otherwise the system's clock. */
  clock?: Time;
  /** With clock: how many times faster than real time the clock runs. */
  rate?: number;
  /** Ids, secrets and tokens are the same on every run with the same seed. */
  seed?: number;
  /** What exists at the start: the name of a world of this package ("empty", "team", "company"), an object, or JSON text. */
  world?: string | object;
  /** Bytes of a snapshot to start from. */
  snapshot?: Uint8Array;
  /** The service's base URL, which fetch() answers. Default: http://svcapi.test */
  baseUrl?: string;
  /** How many requests the journal keeps; 0: none, which makes requests faster. Default: 1000. */
  journal?: number;
  /** Seconds until a new cluster is ready. 0: at once. */
  provisionSeconds?: number;
  /** "real": answers that a fault delays arrive late. "none": they arrive at once. Default: "real". */
  delays?: 'real' | 'none';
  /** Further members of svc_config, by their names in svcapi.h. */
  config?: Record<string, unknown>;
  /** The WebAssembly module, its bytes or its URL, if it is not next to this package's index.js. */
  wasm?: WebAssembly.Module | BufferSource | string | URL;
}

export interface Credentials {
  orgId: string;
  groupId: string;
  publicKey: string;
  privateKey: string;
  clientId: string;
  clientSecret: string;
}

/** A rule by which requests, orders, states, hosts or reads fail: see docs/testing-clients.md. */
export interface FaultRule {
  operation?: string;
  kind?: 'answer' | 'expiredToken' | 'staleNonce';
  status?: number;
  errorCode?: string;
  drop?: 'before' | 'after';
  delayMs?: number;
  count?: number;
  chance?: number;
  [member: string]: unknown;
}

export interface Clock {
  now(): Date;
  advance(by: Duration): Date;
  set(time: Time): Date;
  /** Moves to the next due step and performs it. */
  next(): Date;
  /** Runs the clock this many times faster than real time; 0 stops it. */
  rate(times: number): Date;
}

export interface Faults {
  add(rule: FaultRule): FaultRule & { id: number };
  list(): (FaultRule & { id: number; struck: number })[];
  remove(id: number): void;
  clear(): void;
}

export interface Snapshot {
  restore(): void;
  bytes(): Uint8Array;
  free(): void;
}

export declare class Service {
  readonly url: string;
  readonly version: string;
  /** Credentials that own the first organization: that of the world or snapshot, if there is one. */
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly faults: Faults;
  /** Like the global fetch(), for URLs of this service. It may be passed to clients without its object. */
  readonly fetch: typeof globalThis.fetch;
  /** Makes the global fetch() answer URLs of this service; in a page, relative URLs still belong to the page. Returns a function that undoes it. */
  install(where?: { fetch: typeof globalThis.fetch }): () => void;
  /** Sends one request with a bearer token; the body is sent as JSON. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Answer;
  /** Sends one request unchanged; headers are "Name: value" lines. */
  call(method: string, target: string, headers?: string, body?: string | Uint8Array): Answer;
  /** Calls test control: a path below /_svc/. Throws if it is refused. */
  control(method: string, path: string, body?: unknown): Answer;
  /** A bearer token of the first service account. */
  token(): string;
  /** Milliseconds since 1970, by the service's clock. */
  now(): number;
  takes(url: string | URL): boolean;
  /** Restores the state in which open() returned, without faults and with an empty journal. */
  reset(): void;
  snapshot(): Snapshot;
  load(bytes: Uint8Array): Snapshot;
  journal(options?: { limit?: number; har?: false }): any[];
  journal(options: { limit?: number; har: true }): { log: object };
  clearJournal(): void;
  world(world: string | object): any;
  close(): void;
}

export declare const BASE_URL: string;
/** Opens a service in this process, separate from others. */
export declare function open(options?: Options): Promise<Service>;
