import { writeFileSync } from 'node:fs';
import { Server as SecureServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Bus,
  type BusOptions,
  connectBus,
  type DeniedSubject,
  faultPlaces,
  type OnFault,
} from '@model-gateway/bus';
import { Certificate, certificateFiles } from './certificate.ts';
import { ConfigError } from './config.ts';
import { connectionLimits } from './connection-limits.ts';
import { Connections } from './connections.ts';
import { releaseMemory } from './idle-memory.ts';
import { listen } from './listen.ts';
import { createLog, type Log } from './log.ts';
import { counter, createMetrics, gauge, type Registry } from './metrics/index.ts';
import { measureBus } from './metrics/measure-bus.ts';
import { opsRoutes } from './ops.ts';
import { answerAboutProcess, type ProcessReport, reportProcess } from './process-report.ts';
import { ProcessShared } from './process-shared.ts';
import { RefusedConnections } from './refused-connections.ts';
import { clientAddress, type TrustedProxies } from './request-headers.ts';
import type { Running, Service, ServiceContext } from './service.ts';
import { type ProcessSettings, processSettings, readSettings, type SettingName } from './settings.ts';
import { openTracing } from './tracing/tracing.ts';

/** The message of a process to its launcher once it has started. */
export interface Started {
  url: string | null;
  opsUrl: string;
}

/** Time for the last messages of a process to be sent, in milliseconds. */
const flushMs = 50;

/**
 * Runs a service as this process: reads its settings, starts it, and serves its routes and the operator's. On
 * SIGTERM or SIGINT it drains within GATEWAY_DRAIN and exits 0. A second signal changes nothing.
 */
export async function run<Name extends SettingName>(service: Service<Name>): Promise<void> {
  // Without its launcher, nothing would stop this process.
  process.on('disconnect', () => process.exit(0));
  try {
    await start(service);
  } catch (error) {
    const message =
      error instanceof ConfigError
        ? error.message
        : error instanceof Error
          ? (error.stack ?? error.message)
          : String(error);
    writeFileSync(2, `${service.name}: ${message}\n`);
    process.exit(1);
  }
}

/** The process's connection to NATS, made when it is first needed. */
class LazyBus {
  readonly #options: BusOptions;
  readonly #log: Log;
  readonly #report: () => ProcessReport;
  readonly #metrics: Registry;
  #bus: Promise<Bus> | undefined;

  constructor(
    options: BusOptions,
    { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>,
    report: () => ProcessReport,
  ) {
    this.#options = options;
    this.#log = log;
    this.#metrics = metrics;
    this.#report = report;
  }

  open(): Promise<Bus> {
    this.#bus ??= this.#connect().catch(error => {
      // The next call tries again.
      this.#bus = undefined;
      throw error;
    });
    return this.#bus;
  }

  async #connect(): Promise<Bus> {
    const bus = await connectBus(this.#options, denied => onDenied(denied, this.#log));
    answerAboutProcess(bus, this.#report);
    measureBus(bus, this.#metrics);
    return bus;
  }

  async close(): Promise<void> {
    await this.#bus?.then(open => open.close()).catch(() => {});
  }
}

async function start<Name extends SettingName>(service: Service<Name>): Promise<void> {
  const common = readSettings(processSettings);
  const settings = readSettings(service.settings);
  const files = certificateFiles(common);
  const certificate = files && new Certificate(files);
  const limits = connectionLimits({
    ...common,
    ...(service.isUpstream && { GATEWAY_ADDRESS_CONNECTIONS: 0 }),
  });
  const proxies = common.GATEWAY_TRUSTED_PROXIES;
  const log = createLog(service.name, common.LOG_LEVEL);
  const metrics = createMetrics();
  const onFault = faultReport(metrics, log);
  let running: Running | undefined;
  const report = () => reportProcess(service.name, running, files?.cert);
  const bus = new LazyBus({ ...busOptions(service.name, common), onFault }, { log, metrics }, report);
  const tracing = await openTracing(common, { name: service.name, metrics, log });
  running = await service.start({ ...contextOf(log, metrics, bus, proxies), tracing }, settings);
  let draining = false;
  const problems = () => (draining ? ['is shutting down'] : (running.problems?.() ?? []));
  const { notices, opsRoutes: more } = running;
  gauge(metrics, 'gateway_ready', () => Number(problems().length === 0));
  gauge(metrics, 'gateway_degraded', () => Number((notices?.() ?? []).length > 0));
  const operators = opsRoutes({ metrics, problems, notices, more });
  const ops = await listen(operators, common.OPS_HOST, common.OPS_PORT);
  const { handle, upgrade } = running;
  const clients = () => {
    const connections = new Connections(limits, proxies, new RefusedConnections(limits, metrics, log));
    connections.measure(metrics);
    return { upgrade, certificate, connections, fd: common.LISTEN_FD, reusePort: common.REUSE_PORT === '1' };
  };
  const publicPort = handle ? await listen(handle, common.HOST, common.PORT, clients()) : undefined;
  if (publicPort?.server instanceof SecureServer) followCertificate(certificate, publicPort.server, log);
  releaseMemory();
  surviveFaults(onFault);
  log.info({ url: publicPort?.url, ops: ops.url }, 'started');
  process.send?.({ url: publicPort?.url ?? null, opsUrl: ops.url } satisfies Started);

  const stop = async (why: string) => {
    if (draining) return;
    draining = true;
    log.info({ why }, 'draining');
    const late = AbortSignal.timeout(common.GATEWAY_DRAIN);
    const cut = new Promise<void>(resolve => late.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([Promise.all([publicPort?.drain(), running.drain?.(late)]), cut]);
    // Running work is notified before its connections close.
    await running.close?.();
    await sleep(flushMs);
    await publicPort?.close();
    await Promise.all([bus.close(), tracing?.close()]);
    await ops.close();
    log.info('stopped');
    log.flush(() => process.exit(0));
    // The flush does not finish if the reader of the log is gone.
    setTimeout(() => process.exit(0), 1_000);
  };
  const stopSafely = (why: string) =>
    stop(why).catch(error => {
      log.error({ err: error }, 'shutdown failed');
      process.exit(1);
    });
  process.on('SIGTERM', () => void stopSafely('SIGTERM'));
  process.on('SIGINT', () => void stopSafely('SIGINT'));
}

function followCertificate(certificate: Certificate | undefined, server: SecureServer, log: Log): void {
  certificate?.follow(server, problem =>
    problem
      ? log.warn({ problem }, 'the changed certificate cannot be used; the current one stays in use')
      : log.info('the certificate has changed'),
  );
}

function contextOf(log: Log, metrics: Registry, bus: LazyBus, proxies: TrustedProxies): ServiceContext {
  return {
    log,
    metrics,
    bus: () => bus.open(),
    clientAddress: clientAddress(proxies),
    shared: new ProcessShared(),
  };
}

/**
 * Handles a NATS permission error: the user has other permissions than this version needs. Without a
 * subscription the service receives nothing, and the client never retries it. So the process exits, and is
 * restarted until the permissions are in place.
 */
function onDenied({ operation, subject }: DeniedSubject, log: Log): void {
  log.error({ operation, subject }, "NATS permission denied: the service's user lacks this subject");
  if (operation === 'subscription') log.flush(() => process.exit(1));
}

function busOptions(name: string, common: ProcessSettings): BusOptions {
  const { NATS_URL: url, NATS_TLS_CA: ca, NATS_TLS_CERT: cert, NATS_TLS_KEY: key } = common;
  return { url, name, ...((ca || cert || key) && { tls: { ca, cert, key } }) };
}

/** Returns a function that counts and logs what callbacks throw. */
function faultReport(metrics: Registry, log: Log): OnFault {
  const faults = counter(metrics, 'gateway_faults_total');
  for (const place of faultPlaces) faults.labels(place).inc(0);
  return (place, thrown) => {
    faults.labels(place).inc();
    log.error({ err: thrown, place }, 'exception in a callback');
  };
}

/**
 * Reports what no border has caught, and lets the process go on: it serves thousands of calls, and the one that failed ends by its
 * timeouts.
 */
function surviveFaults(onFault: OnFault): void {
  process.on('uncaughtException', thrown => {
    // Nobody reads the log any more.
    if ((thrown as NodeJS.ErrnoException).code !== 'EPIPE') onFault('process', thrown);
  });
}
