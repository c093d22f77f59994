import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Bus } from '@model-gateway/bus';
import type { Router } from 'express';
import type { Env } from './config.ts';
import type { Log } from './log.ts';
import type { Registry } from './metrics/index.ts';
import type { ProcessShared } from './process-shared.ts';
import type { ClientAddress } from './request-headers.ts';
import type { SettingName, Settings } from './settings.ts';
import type { Tracing } from './tracing/span.ts';

/** The resources that a process gives to a service; a process may run several services. */
export interface ServiceContext {
  log: Log;
  metrics: Registry;
  /** Returns the process's connections to NATS, opened by the first call. */
  bus(): Promise<Bus>;
  clientAddress: ClientAddress;
  /** Makes the spans of traces; absent if the process makes none. */
  tracing?: Tracing | undefined;
  /** The parts that the services of the process share. */
  shared: ProcessShared;
  /** The environment that the settings were read from; that of the process if absent. */
  env?: Env;
}

/** Takes over a connection that requests another protocol. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A running service. */
export interface Running {
  /** Handles the service's HTTP routes, if any. */
  handle?: RequestListener;
  /** Handles its WebSockets, if any. */
  upgrade?: UpgradeListener;
  /** Further routes on the operator's port, open to every client that reaches that port. */
  opsRoutes?: Router;
  /** Returns the reasons why it cannot work now, a sentence each. */
  problems?(): string[];
  /** Returns what an operator should know although it works, a sentence each. */
  notices?(): string[];
  /** Returns facts about this process that control's diagnostics check, as JSON without secrets. */
  facts?(): Record<string, unknown>;
  /** Stops accepting work, and resolves when running work has ended; `signal` aborts when the time is up. */
  drain?(signal: AbortSignal): Promise<void>;
  close?(): Promise<void>;
}

/** A part of the gateway that runs in a process alone or with others. */
export interface Service<Name extends SettingName = SettingName> {
  name: string;
  /** The settings that it reads, beside those of every process. */
  settings: readonly Name[];
  /** True for an upstream: a worker opens many connections to it, so those of one address are not limited. */
  isUpstream?: boolean;
  start(context: ServiceContext, settings: Settings<Name>): Promise<Running>;
}
