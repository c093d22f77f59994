import { duration } from '@model-gateway/canonical';
import { type IngressConfig, ingressConfig, observerOf, Sockets, startIngress } from '@model-gateway/ingress';
import { Gauge, type Running, type Service, type ServiceContext } from '@model-gateway/service';
import { z } from 'zod';
import { clientSecrets } from './client-secrets/endpoint.ts';
import { Secrets } from './client-secrets/secrets.ts';
import { realtimeSocket } from './socket/endpoint.ts';
import type { SessionLimits } from './socket/limits.ts';
import { Sessions } from './socket/sessions.ts';
import { withoutUpgrade } from './socket/without-upgrade.ts';

const config = ingressConfig.extend({
  /** How long a client's WebSocket may be open, and so a session. */
  GATEWAY_SOCKET_LIMIT: duration.prefault('60m'),
  /** How long one may go on without a message either way. */
  GATEWAY_REALTIME_IDLE: duration.prefault('30m'),
  /** How long sessions may go on once the process that holds them is to stop. */
  GATEWAY_REALTIME_GRACE: duration.prefault('10s'),
  /** How many sessions a process holds at once. */
  GATEWAY_REALTIME_SESSIONS: z.coerce.number().int().positive().default(10_000),
  /** The largest message of a client, in bytes. */
  GATEWAY_REALTIME_MESSAGE: z.coerce.number().int().positive().max(32_000_000).default(24_000_000),
  /** The origins of web pages that may open sessions, separated by commas; all where empty. */
  GATEWAY_REALTIME_ORIGINS: z
    .string()
    .transform(text => text.split(',').map(origin => origin.trim()))
    .optional(),
});
type Config = IngressConfig & z.infer<typeof config>;

/** Realtime sessions over WebSockets, and the secrets that open them. */
export const realtime: Service<Config> = { name: 'realtime', config, start };

async function start(context: ServiceContext, settings: Config): Promise<Running> {
  const bus = await context.bus();
  const secrets = await Secrets.open(bus);
  const ingress = await startIngress(
    context,
    settings,
    [],
    [withoutUpgrade, clientSecrets(secrets, () => ingress.parts)],
  );
  const limits = limitsOf(settings);
  const sessions = new Sessions(limits);
  measure(context, sessions);
  const observer = observerOf(context);
  const sockets = new Sockets(
    realtimeSocket(
      { parts: ingress.parts, secrets, sessions, limits, observer },
      { messageBytes: settings.GATEWAY_REALTIME_MESSAGE, origins: settings.GATEWAY_REALTIME_ORIGINS },
    ),
    ingress,
  );
  return {
    ...ingress,
    upgrade: (request, socket, head) => sockets.upgrade(request, socket, head),
    drain: signal => sessions.drain(signal),
    async close() {
      sessions.close();
      secrets.close();
      await ingress.close?.();
    },
  };
}

function limitsOf(settings: Config): SessionLimits {
  return {
    lastsMs: settings.GATEWAY_SOCKET_LIMIT,
    idleMs: settings.GATEWAY_REALTIME_IDLE,
    graceMs: settings.GATEWAY_REALTIME_GRACE,
    queueMs: settings.GATEWAY_QUEUE_MS,
    sessions: settings.GATEWAY_REALTIME_SESSIONS,
  };
}

function measure({ metrics }: ServiceContext, sessions: Sessions): void {
  new Gauge({
    name: 'gateway_realtime_sessions',
    help: 'Realtime sessions that are open',
    registers: [metrics],
    collect() {
      this.set(sessions.size);
    },
  });
}
