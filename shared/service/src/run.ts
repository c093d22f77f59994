import { writeFileSync } from 'node:fs';
import { Server as SecureServer } from 'node:https';
import { type Bus, type BusOptions, connectBus, type DeniedSubject } from '@model-gateway/bus';
import { duration } from '@model-gateway/canonical';
import { Certificate, certificateFiles } from './certificate.ts';
import { clientAddress } from './client-address.ts';
import { type CommonConfig, ConfigError, commonConfig, readConfig } from './config.ts';
import { connectionLimits } from './connection-limits.ts';
import { Connections } from './connections.ts';
import { listen } from './listen.ts';
import { createLog, type Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { opsRoutes } from './ops.ts';
import { RefusedConnections } from './refused-connections.ts';
import type { Service } from './service.ts';

/** What a process says to the launcher that started it, once it is up. */
export interface Started {
  url: string | null;
  opsUrl: string;
}

/** How long the last words of a process may take to leave it. */
const lastWordsMs = 50;

/**
 * Runs a service as this process: reads its settings, starts it, serves its routes and the operator's,
 * and on SIGTERM or SIGINT drains it within GATEWAY_DRAIN and exits 0. A second signal changes nothing.
 */
export async function run<Config>(service: Service<Config>): Promise<void> {
  // A launcher that is gone cannot stop its processes: without it there is nobody to serve.
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

async function start<Config>(service: Service<Config>): Promise<void> {
  const common = readConfig(commonConfig);
  const config = readConfig(service.config);
  const drainMs = duration.parse(common.GATEWAY_DRAIN);
  const files = certificateFiles(common);
  const certificate = files && new Certificate(files);
  const limits = connectionLimits({
    ...common,
    ...(service.isUpstream && { GATEWAY_ADDRESS_CONNECTIONS: 0 }),
  });
  const proxies = common.GATEWAY_TRUSTED_PROXIES;
  const log = createLog(service.name, common.LOG_LEVEL);
  const metrics = createMetrics();
  let bus: Promise<Bus> | undefined;
  const connect = () => {
    bus ??= connectBus(busOptions(service.name, common), denied => refused(denied, log)).catch(error => {
      // Whoever asks again tries again.
      bus = undefined;
      throw error;
    });
    return bus;
  };
  const running = await service.start(
    { log, metrics, bus: connect, clientAddress: clientAddress(proxies) },
    config,
  );
  let draining = false;
  const problems = () => (draining ? ['is shutting down'] : (running.problems?.() ?? []));
  const { notices, opsRoutes: more } = running;
  const operators = opsRoutes({ metrics, problems, notices, more });
  const ops = await listen(operators, common.OPS_HOST, common.OPS_PORT);
  const { handle, upgrade } = running;
  const clients = () => {
    const connections = new Connections(limits, proxies, new RefusedConnections(limits, metrics, log));
    connections.measure(metrics);
    return { upgrade, certificate, connections, fd: common.LISTEN_FD };
  };
  const own = handle ? await listen(handle, common.HOST, common.PORT, clients()) : undefined;
  if (own?.server instanceof SecureServer)
    certificate?.follow(own.server, problem =>
      problem
        ? log.warn({ problem }, 'the certificate has changed and is not used')
        : log.info('the certificate has changed'),
    );
  log.info({ url: own?.url, ops: ops.url }, 'started');
  process.send?.({ url: own?.url ?? null, opsUrl: ops.url } satisfies Started);

  const stop = async (why: string) => {
    if (draining) return;
    draining = true;
    log.info({ why }, 'draining');
    const late = AbortSignal.timeout(drainMs);
    const cut = new Promise<void>(resolve => late.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([Promise.all([own?.drain(), running.drain?.(late)]), cut]);
    // What still runs is told before its connection goes.
    await running.close?.();
    await new Promise(resolve => setTimeout(resolve, lastWordsMs));
    await own?.close();
    await bus?.then(open => open.close()).catch(() => {});
    await ops.close();
    log.info('stopped');
    log.flush(() => process.exit(0));
    // A reader of the log that is gone takes nothing.
    setTimeout(() => process.exit(0), 1_000);
  };
  const stopSafely = (why: string) =>
    stop(why).catch(error => {
      log.error({ err: error }, 'did not stop in good order');
      process.exit(1);
    });
  process.on('SIGTERM', () => void stopSafely('SIGTERM'));
  process.on('SIGINT', () => void stopSafely('SIGINT'));
}

/**
 * NATS refuses a subject: the user has other permissions than this version needs. Without a subscription the service is deaf, and
 * the client never asks for it again: the process ends, and whoever starts it again finds the permissions in place in the end.
 */
function refused({ operation, subject }: DeniedSubject, log: Log): void {
  log.error({ operation, subject }, "the service's NATS user may not use this subject");
  if (operation === 'subscription') log.flush(() => process.exit(1));
}

function busOptions(name: string, common: CommonConfig): BusOptions {
  const { NATS_URL: url, NATS_TLS_CA: ca, NATS_TLS_CERT: cert, NATS_TLS_KEY: key } = common;
  return { url, name, ...((ca || cert || key) && { tls: { ca, cert, key } }) };
}
