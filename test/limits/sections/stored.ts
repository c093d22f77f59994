import { ShareExceededError, StoreFullError } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';
import { maxAttempts, patienceMs } from '../../../services/ingress-responses/src/background/attempt.ts';
import { together } from '../../../services/ingress-responses/src/service.ts';
import { expand } from '../../../services/ingress-responses/src/store/expand.ts';
import { unkept } from '../../../services/ingress-responses/src/store/lost.ts';
import { logPatienceMs, maxLogWaiting } from '../../../shared/bus/src/store/event-log.ts';
import { ownersPart } from '../../../shared/bus/src/store/owner-share.ts';
import { mostly } from '../../../shared/bus/src/store/stored-stream.ts';
import { divide, eventsMs, silentMs } from '../../../shared/bus/src/store/streams.ts';
import type { Bound, Section } from '../bound.ts';
import type { Settings } from '../settings.ts';
import { refusal, told } from '../told.ts';
import { count, part, size, time } from '../written.ts';

export async function stored(settings: Settings): Promise<Section> {
  return {
    title: 'Stored responses',
    intro:
      'What is full forgets nothing before its time. Requests with `store: false` go on. [More](responses.md#how-much-is-kept).',
    bounds: [...(await room(settings)), ...background(), ...events()],
  };
}

async function room(settings: Settings): Promise<Bound[]> {
  const bytes = settings.value('GATEWAY_RESPONSES_BYTES');
  const { turns, events, jobs } = divide(bytes);
  const setting = settings.name('GATEWAY_RESPONSES_BYTES');
  return [
    {
      what: 'Time for which a response, its turn or a conversation is kept after it was written last',
      limit: time(settings.value('GATEWAY_RESPONSES_TTL')),
      setting: settings.name('GATEWAY_RESPONSES_TTL'),
      told: '404',
    },
    {
      what: 'Time for which the events of a response are kept',
      limit: `${time(eventsMs)}, or ${settings.name('GATEWAY_RESPONSES_TTL')} if that is less`,
      setting: settings.name('GATEWAY_RESPONSES_TTL'),
      told: '404 for `stream=true`; without it the response is there',
    },
    {
      what: 'Room on each NATS server: for turns, for events, for background jobs',
      limit: `${size(bytes)}: ${size(turns)}, ${size(events)}, ${size(jobs)}`,
      setting,
      told: `from ${part(mostly)} on, what is new and to be kept: ${told(unkept(new StoreFullError('')))}`,
    },
    {
      what: 'Part of each that one project may fill',
      limit: part(1 / ownersPart),
      setting,
      told: told(unkept(new ShareExceededError())),
    },
    {
      what: 'A request together with the conversation before it',
      limit: size(settings.value('GATEWAY_BODY_LIMIT')),
      setting: settings.name('GATEWAY_BODY_LIMIT'),
      told: await refusal(() => continued('x'.repeat(100), 100)),
    },
    {
      what: 'JSON of them together',
      limit: 'as that of [a body](#json)',
      told: await refusal(() => continued(JSON.parse(`[${'['.repeat(498)}${']'.repeat(498)}]`))),
    },
  ];
}

function background(): Bound[] {
  return [
    {
      what: 'Background responses that one process answers at once',
      limit: count(together),
      told: 'nothing: further ones wait as `queued`',
    },
    {
      what: 'Times that an upstream is asked for one background response',
      limit: count(maxAttempts),
      told: 'the response is `failed`, with the error of the last attempt',
    },
    {
      what: 'Time for which a background response waits for a worker with room',
      limit: time(patienceMs),
      told: 'the response is `failed`, with `server_is_overloaded`',
    },
    {
      what: 'Silence of the process that runs a background response',
      limit: time(silentMs),
      told: 'nothing: another process goes on with it',
    },
  ];
}

function events(): Bound[] {
  return [
    {
      what: 'Events of one response that wait for NATS',
      limit: `${size(maxLogWaiting)}, for ${time(logPatienceMs)}`,
      told: 'nothing to who reads the answer itself; its kept events end in `error` and `response.failed`',
    },
  ];
}

/** A request that goes on from what is too much with it. */
async function continued(text: unknown, bodyBytes = Number.POSITIVE_INFINITY): Promise<void> {
  const body = { model: 'm', input: [{ type: 'message', role: 'user', content: [{ text }] }] };
  const turn = {
    meta: { id: 'resp_1', at: Date.now(), before: [], stream: false },
    base: '',
    input: JSON.stringify({ type: 'message', role: 'user', content: 'Hi' }),
    response: '{"status":"completed","output":[]}',
  };
  const asked = { ...body, previous_response_id: 'resp_1' };
  const store = { get: async () => turn, getEarlier: async () => [], isOld: () => false };
  await expand({ store: store as never, bodyBytes }, asked, {
    text: Buffer.from(JSON.stringify(asked)),
    token: { id: 'a', project: 'a' } as never,
  });
  throw new GatewayError('internal', 'a conversation was continued that is too long');
}
