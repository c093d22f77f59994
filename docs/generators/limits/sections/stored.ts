import { eventsMs, lostMs } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';
import { systemClock } from '@model-gateway/clock';
import { ShareExceededError, StoreFullError } from '@model-gateway/store';
import { divide } from '../../../../services/control/src/lasting-streams.ts';
import { maxAttempts, patienceMs } from '../../../../services/ingress-responses/src/background/attempt.ts';
import {
  longestWaitMs,
  mostReads,
  mostWaiting,
  ReadSlots,
} from '../../../../services/ingress-responses/src/reads/read-slots.ts';
import { mostRead, RequestReads } from '../../../../services/ingress-responses/src/reads/reads.ts';
import { together } from '../../../../services/ingress-responses/src/service.ts';
import { addItems, mostItems } from '../../../../services/ingress-responses/src/store/conversations.ts';
import { expand } from '../../../../services/ingress-responses/src/store/expand.ts';
import { mostReferences } from '../../../../services/ingress-responses/src/store/references.ts';
import { unkept } from '../../../../services/ingress-responses/src/store/store-errors.ts';
import { logPatienceMs, maxLogWaiting, uncountedWaiting } from '../../../../shared/store/src/log-writer.ts';
import { ownersPart } from '../../../../shared/store/src/owner-share.ts';
import { mostly } from '../../../../shared/store/src/stored-stream.ts';
import type { Bound, Section } from '../bound.ts';
import type { Settings } from '../settings.ts';
import { refusal, told } from '../told.ts';
import { count, part, size, time } from '../written.ts';

export async function stored(settings: Settings): Promise<Section> {
  return {
    title: 'Stored responses',
    intro:
      'A full store deletes nothing before its time. Requests with `store: false` go on. [More](responses.md#how-much-is-stored).',
    bounds: [...(await room(settings)), ...(await reads(settings)), ...background(), ...events(settings)],
  };
}

async function room(settings: Settings): Promise<Bound[]> {
  const bodyBytes = settings.value('GATEWAY_BODY_LIMIT');
  const bytes = settings.value('GATEWAY_RESPONSES_BYTES');
  const { turns, events, jobs } = divide(bytes);
  const setting = settings.name('GATEWAY_RESPONSES_BYTES');
  return [
    {
      what: 'Time that a response, its turn or a conversation is stored after its last write',
      limit: time(settings.value('GATEWAY_RESPONSES_TTL')),
      setting: settings.name('GATEWAY_RESPONSES_TTL'),
      told: '404',
    },
    {
      what: 'Time that the events of a response are stored',
      limit: `${time(eventsMs)}, or ${settings.name('GATEWAY_RESPONSES_TTL')} if that is less`,
      setting: settings.name('GATEWAY_RESPONSES_TTL'),
      told: '404 for `stream=true`; without it the response is there',
    },
    {
      what: 'Room on each NATS server: for turns, for events, for background jobs',
      limit: `${size(bytes)}: ${size(turns)}, ${size(events)}, ${size(jobs)}`,
      setting,
      told: `from ${part(mostly)} on, new responses that are to be stored: ${told(unkept(new StoreFullError('')))}`,
    },
    {
      what: 'Share of the room for turns, for events and for jobs, each for itself, that one project may fill',
      limit: `${part(1 / ownersPart)} of each: ${[turns, events, jobs].map(room => size(room / ownersPart)).join(', ')}`,
      setting,
      told: told(unkept(new ShareExceededError())),
    },
    {
      what: 'A request together with the conversation before it',
      limit: size(bodyBytes),
      setting: settings.name('GATEWAY_BODY_LIMIT'),
      told: await refusal(() => continued('x'.repeat(bodyBytes), bodyBytes)),
    },
    {
      what: 'The JSON of both together',
      limit: 'as for [a body](#json)',
      told: await refusal(() => continued(JSON.parse(`[${'['.repeat(498)}${']'.repeat(498)}]`))),
    },
  ];
}

async function reads(settings: Settings): Promise<Bound[]> {
  const bodyBytes = settings.value('GATEWAY_BODY_LIMIT');
  const setting = settings.name('GATEWAY_BODY_LIMIT');
  return [
    {
      what: 'A conversation to which items are added',
      limit: size(bodyBytes),
      setting,
      told: await refusal(() => added('Hi', bodyBytes, 0, bodyBytes)),
    },
    {
      what: 'Items of a conversation to which items are added',
      limit: count(mostItems),
      told: await refusal(() => added('', bodyBytes, mostItems)),
    },
    {
      what: 'References to stored items in one request',
      limit: count(mostReferences),
      told: await refusal(() => referring(mostReferences + 1)),
    },
    {
      what: 'Stored responses and items that one request reads, which count in the share of its token until it has its answer',
      limit: `${size(mostRead(bodyBytes))}: twice ${setting}, and an answer`,
      setting,
      told: await refusal(async () => readsOf(bodyBytes).reserve(mostRead(bodyBytes) + 1)),
    },
    {
      what: 'Reads of stored responses that run at once in a process, for one token and in total',
      limit: `${mostReads.token} and ${mostReads.process}`,
      told: `further ones wait for up to ${time(longestWaitMs)}, then 503 \`server_is_overloaded\``,
    },
    {
      what: 'Reads of stored responses of one token that wait',
      limit: count(mostWaiting),
      told: await refusal(crowded),
    },
  ];
}

const noShare = { take() {}, give() {}, keep() {}, release() {}, part: () => noShare };

function readsOf(bodyBytes: number): RequestReads {
  const places = new ReadSlots(systemClock);
  return new RequestReads(places, { tokenId: 'a', share: noShare, signal: undefined, bodyBytes });
}

/** Adds a text to a conversation that has some items. */
async function added(text: string, most: number, items: number, bytes = 0): Promise<void> {
  const facts = { id: 'conv_a.b', at: Date.now(), bytes, items };
  const conversation = { id: 'conv_a', created_at: 0, metadata: {}, last: facts.id, entries: [facts] };
  const changes = { run: (_: string, work: () => Promise<unknown>) => work() };
  const store = {
    changes,
    turn: async () => {},
    getConversation: async () => ({ conversation, revision: 1 }),
  };
  const item = JSON.stringify({ role: 'user', content: text });
  await addItems(store as never, 'a', 'conv_a', { items: item, most });
}

/** A request with so many references. */
async function referring(references: number): Promise<void> {
  const input = Array.from({ length: references }, () => ({ type: 'item_reference', id: 'msg_1' }));
  await expanded({ model: 'm', input });
}

/** A read when as many as are possible wait. */
async function crowded(): Promise<void> {
  const places = new ReadSlots(systemClock);
  const over = new AbortController();
  const held = Array.from({ length: mostReads.token + mostWaiting }, () =>
    places.run('a', () => new Promise(() => {}), over.signal).catch(() => {}),
  );
  try {
    await places.run('a', async () => {});
  } finally {
    over.abort();
    await Promise.race(held);
  }
}

function background(): Bound[] {
  return [
    {
      what: 'Background responses that one process answers at once',
      limit: count(together),
      told: 'nothing: further ones wait as `queued`',
    },
    {
      what: 'Attempts at one background response',
      limit: count(maxAttempts),
      told: 'the response is `failed`, with the error of the last attempt',
    },
    {
      what: 'Time that a background response waits for a worker with room',
      limit: time(patienceMs),
      told: 'the response is `failed`, with `server_is_overloaded`',
    },
    {
      what: 'Time without a sign of life of the process that runs a background response',
      limit: time(lostMs),
      told: 'nothing: another process continues',
    },
  ];
}

function events(settings: Settings): Bound[] {
  return [
    {
      what: 'Events of one response that wait for NATS',
      limit: `${size(maxLogWaiting)}, for ${time(logPatienceMs)}`,
      told: 'nothing for the client of the answer itself; the stored events end in `error` and `response.failed`',
    },
    {
      what: `The same of all responses of a token in a process, of each from ${size(uncountedWaiting)} on`,
      limit: 'its share of bodies',
      setting: settings.name('GATEWAY_TOKEN_BODY_BUDGET'),
      told: 'the same',
    },
  ];
}

/** A request that continues a conversation that is too large with it. */
async function continued(text: unknown, bodyBytes?: number): Promise<void> {
  const body = { model: 'm', input: [{ type: 'message', role: 'user', content: [{ text }] }] };
  await expanded({ ...body, previous_response_id: 'resp_1' }, bodyBytes);
  throw new GatewayError('internal', 'a conversation was continued that is too long');
}

async function expanded(asked: Record<string, unknown>, bodyBytes = Number.POSITIVE_INFINITY): Promise<void> {
  const turn = {
    meta: { id: 'resp_1', at: Date.now(), before: [], stream: false },
    base: '',
    input: JSON.stringify({ type: 'message', role: 'user', content: 'Hi' }),
    response: '{"status":"completed","output":[]}',
  };
  const store = {
    get: async () => turn,
    getEarlier: async () => [],
    isOld: () => false,
    turn: async () => {},
    through: () => store,
  };
  const places = new ReadSlots(systemClock);
  await expand({ store: store as never, places, bodyBytes }, asked, {
    text: Buffer.from(JSON.stringify(asked)),
    token: { id: 'a', project: 'a' } as never,
    share: () => noShare,
    signal: () => new AbortController().signal,
  });
}
