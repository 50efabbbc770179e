import type { Credentials, FaultRule, Time } from './index.js';

export interface ServerOptions {
  clock?: Time;
  rate?: number;
  seed?: number;
  /** The name of a shipped world, or the path of a file. */
  world?: string;
  provisionSeconds?: number;
  /** Further flags of svcd. */
  flags?: string[];
  /** How many seconds to wait until svcd is ready: 30 by default. */
  timeoutSeconds?: number;
}

/** An svcd process on a free port of 127.0.0.1. */
export declare class Server {
  readonly url: string;
  readonly controlToken: string;
  readonly credentials: Credentials;
  readonly clock: {
    now(): Promise<Date>;
    advance(seconds: number): Promise<Date>;
    set(time: Time): Promise<Date>;
    next(): Promise<Date>;
    rate(times: number): Promise<Date>;
  };
  readonly faults: {
    add(rule: FaultRule): Promise<FaultRule & { id: number }>;
    list(): Promise<(FaultRule & { id: number; struck: number })[]>;
    remove(id: number): Promise<unknown>;
    clear(): Promise<unknown>;
  };
  control(method: string, path: string, body?: unknown): Promise<Response>;
  token(): Promise<string>;
  reset(): Promise<void>;
  journal(options?: { limit?: number; har?: boolean }): Promise<any>;
  stop(): Promise<void>;
}

/** The path of the svcd program: SVCD, the package for this platform, or the PATH. Throws if there is none. */
export declare function program(): string;
export declare function start(options?: ServerOptions): Promise<Server>;
