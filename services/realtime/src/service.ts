import { ingressSettings, Sockets, startIngress } from '@model-gateway/ingress';
import {
  gauge,
  type Running,
  type Service,
  type ServiceContext,
  type Settings,
} from '@model-gateway/service';
import { clientSecrets } from './client-secrets/endpoint.ts';
import { Secrets } from './client-secrets/secrets.ts';
import type { SessionLimits } from './socket/client-session.ts';
import { realtimeSocket, withoutUpgrade } from './socket/endpoint.ts';
import { Sessions } from './socket/sessions.ts';

const realtimeSettings = [
  ...ingressSettings,
  'GATEWAY_SOCKET_LIMIT',
  'GATEWAY_SOCKET_RATE',
  'GATEWAY_REALTIME_IDLE',
  'GATEWAY_REALTIME_GRACE',
  'GATEWAY_REALTIME_SESSIONS',
  'GATEWAY_REALTIME_MESSAGE',
  'GATEWAY_REALTIME_ORIGINS',
] as const;
type RealtimeSetting = (typeof realtimeSettings)[number];

/** Realtime sessions over WebSockets, and the secrets that open them. */
export const realtime: Service<RealtimeSetting> = { name: 'realtime', settings: realtimeSettings, start };

async function start(context: ServiceContext, settings: Settings<RealtimeSetting>): Promise<Running> {
  const bus = await context.bus();
  const secrets = await Secrets.open(bus);
  const ingress = await startIngress(
    context,
    settings,
    [],
    [withoutUpgrade, clientSecrets(secrets, () => ingress.parts)],
  );
  const limits = limitsOf(settings);
  const sessions = new Sessions(limits, bus.clock);
  measure(context, sessions);
  const sockets = new Sockets(
    realtimeSocket(
      { deps: ingress.parts, secrets, sessions, limits },
      {
        messageBytes: settings.GATEWAY_REALTIME_MESSAGE,
        messagesPerSecond: settings.GATEWAY_SOCKET_RATE,
        origins: settings.GATEWAY_REALTIME_ORIGINS,
      },
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

function limitsOf(settings: Settings<RealtimeSetting>): SessionLimits {
  return {
    lastsMs: settings.GATEWAY_SOCKET_LIMIT,
    idleMs: settings.GATEWAY_REALTIME_IDLE,
    graceMs: settings.GATEWAY_REALTIME_GRACE,
    queueMs: settings.GATEWAY_QUEUE_MS,
    sessions: settings.GATEWAY_REALTIME_SESSIONS,
  };
}

function measure({ metrics }: ServiceContext, sessions: Sessions): void {
  gauge(metrics, 'gateway_realtime_sessions', () => sessions.size);
}
