import { EventEmitter, once } from 'node:events';
import { systemClock } from '@model-gateway/clock';
import type { Connection, Ingress, MessageHandler, Reservation } from '@model-gateway/ingress';
import { maxBytes, maxTurns } from '../../../../services/ingress-responses/src/web-socket/local-store.ts';
import {
  laneCharacters,
  parseMessage,
} from '../../../../services/ingress-responses/src/web-socket/parse-message.ts';
import {
  Conversation,
  graceMs,
  maxLanes,
  maxWaiting,
} from '../../../../services/ingress-responses/src/web-socket/web-socket.ts';
import { paceSeconds } from '../../../../shared/ingress/src/read/body.ts';
import { socketPingMs } from '../../../../shared/ingress/src/socket/connection.ts';
import {
  enoughWaiting,
  maxWaitingMessages,
  messageOverhead,
} from '../../../../shared/ingress/src/socket/incoming-messages.ts';
import { countedFrom } from '../../../../shared/ingress/src/socket/message-watch.ts';
import { maxEarlyBytes } from '../../../../shared/ingress/src/socket/socket.ts';
import type { Bound, Section } from '../bound.ts';
import type { Settings } from '../settings.ts';
import { refusal, toldEvent } from '../told.ts';
import { count, size, time } from '../written.ts';

export async function webSockets(settings: Settings): Promise<Section> {
  return {
    title: 'WebSockets',
    intro:
      'The first nine are for both kinds. The others are for [responses](responses.md#over-a-websocket); [realtime](#realtime) has its own. Refusals before the upgrade are HTTP answers.',
    bounds: [...(await ofBoth(settings)), ...(await ofResponses(settings))],
  };
}

async function ofBoth(settings: Settings): Promise<Bound[]> {
  const over = await closedFor(1);
  return [
    {
      what: 'Longest time that a WebSocket may be open',
      limit: time(settings.value('GATEWAY_SOCKET_LIMIT')),
      setting: settings.name('GATEWAY_SOCKET_LIMIT'),
      told: `responses: ${over} Running requests are answered first, for at most ${time(graceMs)}. Realtime: see [there](#realtime)`,
    },
    {
      what: 'Time without a sign of life of the client',
      limit: `two pings, ${time(socketPingMs)} apart`,
      told: 'the connection is closed',
    },
    {
      what: 'Bytes of a client that are read before its upgrade is answered',
      limit: size(maxEarlyBytes),
      told: 'the gateway stops reading until the upgrade is answered',
    },
    {
      what: `Bytes of incomplete messages, from ${size(countedFrom)} of one on`,
      limit: "the token's share of bodies",
      setting: settings.name('GATEWAY_TOKEN_BODY_BUDGET'),
      told: 'an error event with the code `rate_limit_exceeded`, then close code 1013',
    },
    {
      what: 'Rate and time of an incomplete message',
      limit: `${count(settings.value('GATEWAY_BODY_RATE'))} bytes/s over any ${count(paceSeconds)} s; ${time(settings.value('GATEWAY_BODY_TIME'))}`,
      setting: `${settings.name('GATEWAY_BODY_RATE')}, ${settings.name('GATEWAY_BODY_TIME')}`,
      told: 'an error event with the code `request_timeout`, then close code 1008',
    },
    {
      what: 'Messages and control frames in a second, and as many at once',
      limit: count(settings.value('GATEWAY_SOCKET_RATE')),
      setting: settings.name('GATEWAY_SOCKET_RATE'),
      told: 'the gateway stops reading until their time has come',
    },
    {
      what: 'Messages that wait to be handled, one after the other, and only while the client takes its answers',
      limit: `${count(maxWaitingMessages)}, or ${size(enoughWaiting)} and one message`,
      told: 'the gateway stops reading until one is handled',
    },
    {
      what: `Bytes of waiting messages, with ${size(messageOverhead)} more for each, and of what a client has not taken, from ${size(countedFrom)} on`,
      limit: "the token's share of bodies",
      setting: settings.name('GATEWAY_TOKEN_BODY_BUDGET'),
      told: 'an error event with the code `rate_limit_exceeded` in place of the message; if the client does not take its answers, then close code 1013',
    },
    {
      what: 'Extensions, such as compression',
      limit: 'none',
      told: 'they are not negotiated',
    },
  ];
}

async function ofResponses(settings: Settings): Promise<Bound[]> {
  const bytes = settings.value('GATEWAY_BODY_LIMIT');
  return [
    {
      what: 'One message',
      limit: size(bytes),
      setting: settings.name('GATEWAY_BODY_LIMIT'),
      told: 'closed with 1009',
    },
    {
      what: 'Lanes that are busy',
      limit: count(maxLanes),
      told: await refusedEvent(maxLanes + 1, i => ({ stream_id: `lane-${i}` })),
    },
    {
      what: 'Requests that wait or run',
      limit: count(maxWaiting),
      told: await refusedEvent(maxWaiting + 1, () => ({})),
    },
    {
      what: 'Bytes of these requests',
      limit: size(bytes),
      setting: settings.name('GATEWAY_BODY_LIMIT'),
      told: await refusedEvent(2, () => ({ input: 'x'.repeat(100) }), 100),
    },
    {
      what: 'Name of a lane, in `stream_id`',
      limit: `${count(laneCharacters)} letters, digits, \`_\`, \`.\` and \`-\``,
      told: await refusal(() =>
        parseMessage(
          Buffer.from(JSON.stringify({ type: 'response.create', stream_id: 'x'.repeat(laneCharacters + 1) })),
          async () => {},
        ),
      ),
    },
    {
      what: 'Turns of `store: false` that a connection remembers',
      limit: `${count(maxTurns)}, and ${size(maxBytes)} of them`,
      told: 'the oldest is deleted: a request that continues it gets 400 `previous_response_not_found`',
    },
  ];
}

/** A client's connection that records the sent events. */
class Told extends EventEmitter {
  readonly open = true;
  readonly token = { id: 'a' };
  readonly events: string[] = [];
  #handler: MessageHandler | undefined;

  onMessage(handler: MessageHandler): void {
    this.#handler = handler;
  }
  async take(message: object): Promise<void> {
    const held = { release() {} } as Reservation;
    await this.#handler?.handle(Buffer.from(JSON.stringify(message)), true, held);
  }
  onClose(): () => void {
    return () => {};
  }
  send(event: string): void {
    this.events.push(event);
    this.emit('told');
  }
  close(code: number): void {
    this.emit('closed', code);
  }
}

/** A conversation whose requests are answered, by nothing, once `answered` resolves. */
function converse(
  connectionMs: number,
  { waitingBytes = Number.POSITIVE_INFINITY, answered = new Promise<void>(() => {}) } = {},
): Told {
  const connection = new Told();
  const share = { take: () => {}, release: () => {} };
  const parts = { clock: systemClock, held: { share: () => share } };
  const ask: Ingress['ask'] = async (_endpoint, _request, sink) => {
    await answered;
    sink.end();
    return undefined;
  };
  const ingress = { parts, ask };
  new Conversation({
    connection: connection as unknown as Connection,
    ingress: ingress as unknown as Ingress,
    endpointOf: () => ({}) as never,
    connectionMs,
    waitingBytes,
  });
  return connection;
}

/** The event that refuses the last of several requests. */
async function refusedEvent(
  requests: number,
  fields: (i: number) => object,
  waitingBytes?: number,
): Promise<string> {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const connection = converse(2 ** 31 - 1, { answered, ...(waitingBytes !== undefined && { waitingBytes }) });
  const told = once(connection, 'told');
  const read: Promise<void>[] = [];
  for (let i = 0; i < requests; i++) read.push(connection.take({ type: 'response.create', ...fields(i) }));
  await Promise.all(read);
  answer();
  await told;
  const [event, ...more] = connection.events;
  if (event === undefined || more.length > 0) throw new Error('one request, and no other, is to be refused');
  return toldEvent(event);
}

/** Returns the answer to a client whose connection was open for too long. */
async function closedFor(ms: number): Promise<string> {
  const connection = converse(ms);
  const code = await new Promise(resolve => connection.once('closed', resolve));
  return `${toldEvent(connection.events[0] as string)} Then it is closed with ${code}.`;
}
