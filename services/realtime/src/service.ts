import { duration } from '@model-gateway/canonical';
import { type IngressConfig, ingressConfig, Sockets, startIngress } from '@model-gateway/ingress';
import { Gauge, type Running, type Service, type ServiceContext } from '@model-gateway/service';
import { z } from 'zod';
import { clientSecrets } from './client-secrets/endpoint.ts';
import { Secrets } from './client-secrets/secrets.ts';
import type { SessionLimits } from './socket/client-session.ts';
import { realtimeSocket, withoutUpgrade } from './socket/endpoint.ts';
import { Sessions } from './socket/sessions.ts';

const config = ingressConfig.extend({
  /** The longest duration of a client's WebSocket, and so of its session. */
  GATEWAY_SOCKET_LIMIT: duration.prefault('60m'),
  /** Idle timeout: time without a message in either direction. */
  GATEWAY_REALTIME_IDLE: duration.prefault('30m'),
  /** Time for sessions to end once the process is draining. */
  GATEWAY_REALTIME_GRACE: duration.prefault('10s'),
  /** The most open sessions of a process. */
  GATEWAY_REALTIME_SESSIONS: z.coerce.number().int().positive().default(10_000),
  /** The largest message of a client, in bytes. */
  GATEWAY_REALTIME_MESSAGE: z.coerce.number().int().positive().max(32_000_000).default(24_000_000),
  /** Origins of web pages that may open sessions, separated by commas; all if empty. */
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
  const sockets = new Sockets(
    realtimeSocket(
      { parts: ingress.parts, secrets, sessions, limits },
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
    help: 'Open realtime sessions',
    registers: [metrics],
    collect() {
      this.set(sessions.size);
    },
  });
}
