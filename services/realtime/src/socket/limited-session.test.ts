import type { Message, SessionListener } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';
import type { EndResponse } from '@model-gateway/ingress';
import { expect, test, vi } from 'vitest';
import { LimitedSession } from './limited-session.ts';

const messageOf = (event: object | string, text = true): Message => ({
  data: Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)),
  text,
});
const create = (more: object = {}) => messageOf({ type: 'response.create', ...more });
const append = messageOf({ type: 'input_audio_buffer.append', audio: 'AAAA' });

/** A limited session between a client and a provider, and what each of them got. */
function stage() {
  const sent: string[] = [];
  const received: Record<string, unknown>[] = [];
  let provider: SessionListener | undefined;
  const peer = {
    listen: (listener: SessionListener) => (provider = listener),
    send: vi.fn(({ data }: Message) => {
      sent.push(String(data));
      return true;
    }),
    drained: Promise.resolve(),
    consumed: vi.fn(),
    close: vi.fn(() => void sent.push('closed')),
    cancel: vi.fn(),
  };
  const ended: Parameters<EndResponse>[0][] = [];
  const end: EndResponse = usage => ended.push(usage);
  const limits = {
    apply: vi.fn(() => true),
    take: vi.fn(async () => end),
    count: vi.fn(() => end),
  };
  const session = new LimitedSession(peer, limits);
  const onEnd = vi.fn();
  session.listen({ onMessage: ({ data }) => received.push(JSON.parse(String(data))), onEnd });
  const provide = (event: object) => provider?.onMessage(messageOf(event), 1);
  const began = (id: string) => provide({ type: 'response.created', response: { id } });
  const done = (id: string, usage: object | null = { input_tokens: 20, output_tokens: 10 }) =>
    provide({ type: 'response.done', response: { id, usage } });
  const endByProvider = () => provider?.onEnd();
  return { session, peer, limits, sent, received, ended, provide, began, done, onEnd, endByProvider };
}

test('a response that the client asks for takes its place first, and ends with its usage', async () => {
  const { session, limits, sent, ended, began, done } = stage();
  expect(session.send(create())).toBe(false);
  expect(sent).toEqual([]);
  await session.drained;
  expect(sent).toHaveLength(1);
  began('r1');
  done('r1');
  expect([limits.take.mock.calls.length, limits.count.mock.calls.length]).toEqual([1, 0]);
  expect(ended).toEqual([{ input: 20, output: 10 }]);
});

test('messages stay in their order while one waits for its place, and so does the close', async () => {
  const { session, limits, sent, peer } = stage();
  const place = Promise.withResolvers<EndResponse>();
  limits.take.mockReturnValueOnce(place.promise);
  expect([append, create(), append, create({ event_id: 'two' })].map(each => session.send(each))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  session.close();
  expect(sent).toHaveLength(1);
  place.resolve(() => {});
  await vi.waitFor(() => expect(peer.close).toHaveBeenCalled());
  expect(sent).toEqual([append, create(), append, create({ event_id: 'two' }), 'closed'].map(textOf));
  expect(session.send(append)).toBe(true);
});

const textOf = (message: Message | string) => (typeof message === 'string' ? message : String(message.data));

test('a response over a limit is an error event for the client, and the provider is not asked', async () => {
  const { session, limits, sent, received, began, done, ended } = stage();
  limits.take.mockRejectedValueOnce(
    new GatewayError('rate-limited', 'This token has reached its limit.', { retryAfterMs: 5_000 }),
  );
  session.send(create({ event_id: 'mine' }));
  session.send(append);
  await session.drained;
  expect(sent).toEqual([String(append.data)]);
  expect(received).toEqual([
    {
      type: 'error',
      event_id: expect.stringMatching(/^event_/),
      error: {
        type: 'requests',
        code: 'rate_limit_exceeded',
        message: 'This token has reached its limit.',
        param: null,
        event_id: 'mine',
      },
    },
  ]);
  session.send(create());
  await session.drained;
  began('r1');
  done('r1', null);
  expect(ended).toEqual([null]);
});

test.each([
  ['escaped', messageOf('{"type":"response\\u002ecreate"}')],
  ['with an escaped key', messageOf('{"\\u0074ype":"response.create"}')],
  ['in a binary message', messageOf({ type: 'response.create' }, false)],
])('a request for a response counts %s', async (_, message) => {
  const { session, limits } = stage();
  session.send(message);
  await session.drained;
  expect(limits.take).toHaveBeenCalledTimes(1);
});

test('a response that the provider begins by itself counts once it has begun', () => {
  const { limits, ended, began, done } = stage();
  began('r1');
  began('r1');
  expect(limits.count).toHaveBeenCalledTimes(1);
  done('r1', { input_tokens: 1, output_tokens: 2 });
  done('r1');
  expect(ended).toEqual([{ input: 1, output: 2 }]);
});

test.each([
  ['by the id of its event', { event_id: 'mine' }, { code: 'invalid_value', event_id: 'mine' }],
  ['by its code', {}, { code: 'conversation_already_has_active_response', event_id: null }],
])('a response that the provider refuses, known %s, is over', async (_, event, error) => {
  const { session, limits, provide, began, ended } = stage();
  session.send(create(event));
  await session.drained;
  provide({ type: 'error', error: { code: 'invalid_value', event_id: 'other' } });
  expect(ended).toEqual([]);
  provide({ type: 'error', error });
  expect(ended).toEqual([null]);
  began('r1');
  expect(limits.count).toHaveBeenCalledTimes(1);
});

test('all places end with the session, also one that is taken too late', async () => {
  const { session, limits, began, ended, onEnd, endByProvider, sent } = stage();
  session.send(create());
  await session.drained;
  began('r1');
  session.send(create());
  await session.drained;
  const late = Promise.withResolvers<EndResponse>();
  limits.take.mockReturnValueOnce(late.promise);
  session.send(create());
  session.send(create());
  endByProvider();
  expect(ended).toEqual([null, null]);
  expect(onEnd).toHaveBeenCalledTimes(1);
  const { length } = ended;
  late.resolve(usage => ended.push(usage));
  await session.drained;
  expect(ended).toHaveLength(length + 1);
  expect(limits.take).toHaveBeenCalledTimes(3);
  expect(sent.length).toBeGreaterThan(0);
});

test('messages of a session without limits pass at once, unread', () => {
  const { session, limits, sent, began, received } = stage();
  limits.apply.mockReturnValue(false);
  expect(session.send(create())).toBe(true);
  began('r1');
  expect([sent.length, received.length]).toEqual([1, 1]);
  expect([limits.take.mock.calls.length, limits.count.mock.calls.length]).toEqual([0, 0]);
});
