import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Bus } from '@model-gateway/bus';
import type { Router } from 'express';
import type { z } from 'zod';
import type { ClientAddress } from './client-address.ts';
import type { Log } from './log.ts';
import type { Registry } from './metrics.ts';

/** What a service is given by the process it runs in; a process may run several. */
export interface ServiceContext {
  log: Log;
  metrics: Registry;
  /** The process's connections to NATS, opened at the first call. */
  bus(): Promise<Bus>;
  clientAddress: ClientAddress;
}

/** Takes a connection over that asks for another protocol. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A running service. */
export interface Running {
  /** Answers the service's HTTP routes, where it has any. */
  handle?: RequestListener;
  /** Answers its WebSockets, where it has any. */
  upgrade?: UpgradeListener;
  /** Further routes on the operator's port, beside health and metrics. They are open to everybody who reaches that port. */
  opsRoutes?: Router;
  /** Why it cannot do its work now, in a sentence each. */
  problems?(): string[];
  /** What an operator should know although it works, in a sentence each. */
  notices?(): string[];
  /** Takes no new work, and resolves when what runs has ended; `signal` aborts when the time for that is up. */
  drain?(signal: AbortSignal): Promise<void>;
  close?(): Promise<void>;
}

/** A part of the gateway that can be started in a process of its own or beside others. */
export interface Service<Config = unknown> {
  name: string;
  /** Its settings, as environment variables. */
  config: z.ZodType<Config>;
  /** True for an upstream: a worker rightly opens many connections to it, so those of one address are not limited. */
  isUpstream?: boolean;
  start(context: ServiceContext, config: Config): Promise<Running>;
}
