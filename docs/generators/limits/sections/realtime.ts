import { Session, secretsMs } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';
import { systemClock } from '@model-gateway/clock';
import type { Connection } from '@model-gateway/ingress';
import { StoreFullError } from '@model-gateway/store';
import { maxSession, parseSecretRequest } from '../../../../services/realtime/src/client-secrets/parse.ts';
import { Secrets } from '../../../../services/realtime/src/client-secrets/secrets.ts';
import { ClientSession } from '../../../../services/realtime/src/socket/client-session.ts';
import { renderClose } from '../../../../services/realtime/src/socket/render-error.ts';
import type { SessionPeer } from '../../../../services/realtime/src/socket/session-peer.ts';
import { Sessions } from '../../../../services/realtime/src/socket/sessions.ts';
import { maxSessionWaiting } from '../../../../shared/bus/src/session.ts';
import { ownersPart } from '../../../../shared/store/src/owner-share.ts';
import type { Bound, Section } from '../bound.ts';
import type { Settings } from '../settings.ts';
import { failureOf, refusal, toldEvent } from '../told.ts';
import { count, part, size, time } from '../written.ts';
import { emulated } from './realtime-emulated.ts';

export async function realtime(settings: Settings): Promise<Section> {
  return {
    title: 'Realtime',
    intro:
      'Errors of a session are events. An error that ends the session is followed by the close code. An error about an event leaves the session open. The last rows are for [sessions that the gateway holds](realtime.md#sessions-that-the-gateway-holds).',
    bounds: [...(await sessions(settings)), ...(await secrets(settings)), ...(await emulated(settings))],
  };
}

async function sessions(settings: Settings): Promise<Bound[]> {
  const limits = {
    lastsMs: settings.value('GATEWAY_SOCKET_LIMIT'),
    idleMs: settings.value('GATEWAY_REALTIME_IDLE'),
    graceMs: settings.value('GATEWAY_REALTIME_GRACE'),
    queueMs: settings.value('GATEWAY_QUEUE_MS'),
    sessions: settings.value('GATEWAY_REALTIME_SESSIONS'),
  };
  const all = new Sessions(limits, systemClock);
  for (let i = 0; i < limits.sessions; i++) all.reserve();
  const tooMany = await refusal(() => all.reserve());
  all.close();
  const stopping = new Sessions(limits, systemClock);
  void stopping.drain(AbortSignal.abort());
  const stopped = await failureOf(() => stopping.reserve());
  stopping.close();
  return [
    {
      what: 'Longest session',
      limit: time(limits.lastsMs),
      setting: settings.name('GATEWAY_SOCKET_LIMIT'),
      told: ended(session => session.check(Number.POSITIVE_INFINITY, limits)),
    },
    {
      what: 'Time without a message either way',
      limit: time(limits.idleMs),
      setting: settings.name('GATEWAY_REALTIME_IDLE'),
      told: ended(session => session.check(Date.now() + limits.idleMs, limits)),
    },
    {
      what: 'Time that sessions go on once their process or worker stops',
      limit: time(limits.graceMs),
      setting: settings.name('GATEWAY_REALTIME_GRACE'),
      told: ended(session => session.end(stopped)),
    },
    {
      what: 'Sessions of a process',
      limit: count(limits.sessions),
      setting: settings.name('GATEWAY_REALTIME_SESSIONS'),
      told: tooMany,
    },
    {
      what: 'One message of a client',
      limit: size(settings.value('GATEWAY_REALTIME_MESSAGE')),
      setting: settings.name('GATEWAY_REALTIME_MESSAGE'),
      told: `closed with ${renderClose(new GatewayError('too-large', '')).code}, without an event`,
    },
    {
      what: 'Messages of a client that wait to be sent to its worker',
      limit: `${size(maxSessionWaiting)}; the gateway stops reading long before`,
      told: ended(session => session.end(tooMuchWaits())),
    },
  ];
}

async function secrets(settings: Settings): Promise<Bound[]> {
  const asked = { model: 'm', session: {}, seconds: 60 };
  const make = (keep: object) =>
    refusal(() => (Reflect.construct(Secrets, [keep, systemClock]) as Secrets).make('a', 'hash', asked));
  const tooMany = await make({
    isUsedUpBy: async () => false,
    put: async () => {
      throw new StoreFullError('');
    },
  });
  const tooLong = await refusal(() => secretOf({ expires_after: { seconds: secretsMs / 1_000 + 1 } }));
  const usual = await secretOf({});
  const tooShort = await refusal(() => secretOf({ expires_after: { seconds: 0 } }));
  const [, least] = /at least (\d+)/.exec(tooShort) ?? [];
  return [
    {
      what: 'Room for client secrets on each NATS server',
      limit: size(settings.value('GATEWAY_REALTIME_SECRETS_BYTES')),
      setting: settings.name('GATEWAY_REALTIME_SECRETS_BYTES'),
      told: tooMany,
    },
    {
      what: 'Share of it that one project may fill',
      limit: part(1 / ownersPart),
      setting: settings.name('GATEWAY_REALTIME_SECRETS_BYTES'),
      told: await make({ isUsedUpBy: async () => true }),
    },
    {
      what: 'Lifetime of a client secret',
      limit: `${time(usual.seconds * 1_000)}; from ${least} s to ${time(secretsMs)}`,
      setting: '`expires_after` of its request',
      told: tooLong,
    },
    {
      what: 'Session of a client secret, as JSON',
      limit: size(maxSession),
      told: await refusal(() => secretOf({ session: { model: 'm', instructions: 'x'.repeat(maxSession) } })),
    },
  ];
}

function secretOf(fields: object): ReturnType<typeof parseSecretRequest> {
  return parseSecretRequest(Buffer.from(JSON.stringify({ session: { model: 'm' }, ...fields })));
}

/** Returns the message of a client's session that ends. */
function ended(end: (session: ClientSession) => void): string {
  const events: string[] = [];
  let closed: number | undefined;
  const connection = {
    send: (event: string) => events.push(event),
    close: (code: number) => {
      closed = code;
    },
  };
  const session = new ClientSession(
    connection as unknown as Connection,
    { cancel: () => {} } as unknown as SessionPeer,
    systemClock.now() + 2 ** 40,
    systemClock,
    () => {},
  );
  end(session);
  return `${toldEvent(events[0] as string)} Then it is closed with ${closed}.`;
}

function tooMuchWaits(): GatewayError {
  let failure: GatewayError | undefined;
  const session = new Session();
  session.listen({
    onMessage() {},
    onEnd: error => {
      failure = error;
    },
  });
  session.send({ data: Buffer.alloc(maxSessionWaiting), text: false });
  if (!failure) throw new Error('a session takes more than may wait');
  return failure;
}
