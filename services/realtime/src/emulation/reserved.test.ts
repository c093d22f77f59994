import { setImmediate } from 'node:timers/promises';
import { maxAnswer } from '@model-gateway/formats/realtime';
import { MemoryBudget, TokenCount } from '@model-gateway/ingress';
import { expect, test, vi } from 'vitest';
import { finish, open, openAudio, says, text as textOf } from '../testing/open-emulation.ts';
import { openSession } from '../testing/open-session.ts';
import { maxBytes } from './items.ts';
import { maxWaiting, recordingBytes } from './transcripts.ts';

const megabyte = 1024 * 1024;

/** A session whose token has a share of bodies. */
function openHeld(share = 64_000_000, beta = false) {
  const held = new MemoryBudget(256_000_000, new TokenCount(share, 'The share is full.'));
  return { ...openSession({ held, beta }), held };
}

const text = (id: string, size: number, fields = {}) => ({
  type: 'conversation.item.create',
  item: { id, type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x'.repeat(size) }] },
  ...fields,
});
const call = (id: string) => ({
  type: 'conversation.item.create',
  item: { id, type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
});

/** Sends events as a client does: the next one once the session takes it. */
async function sendAll({ session, send, take }: ReturnType<typeof openSession>, events: object[]) {
  for (const event of events) {
    if (send(event)) continue;
    let ready = false;
    void session.drained.then(() => (ready = true));
    while (!ready) {
      take();
      await setImmediate();
    }
  }
}

test.each([2, 600, 10_000])('%i references to one item count as often as they are named', async count => {
  const { send, error, requests } = open();
  await send(text('a', 7 * megabyte));
  const input = Array(count).fill({ type: 'item_reference', id: 'a' });
  send({ type: 'response.create', response: { conversation: 'none', input } });
  expect(error()).toMatchObject({ param: 'response.input', code: 'input_too_large' });
  expect(error()?.message).toContain(`${maxBytes / megabyte} MiB`);
  expect(requests).toEqual([]);
});

test('references whose items are small together are sent', async () => {
  const { send, of, requests, done } = open();
  send(text('a', 10));
  const input = Array(1_000).fill({ type: 'item_reference', id: 'a' });
  send({ type: 'response.create', response: { conversation: 'none', input } });
  await done();
  expect(of('error')).toEqual([]);
  expect(requests[0]?.messages).toHaveLength(1_000);
});

test.each<[string, (ids: string[]) => object]>([
  ['in the conversation', () => ({})],
  [
    'named in the input',
    ids => ({ conversation: 'none', input: [...ids, 'out'].map(id => ({ type: 'item_reference', id })) }),
  ],
])('many calls with one large output, %s, fail before anything is written', async (_where, response) => {
  const session = openHeld();
  const ids = Array.from({ length: 2_000 }, (_, i) => `call${i}`);
  const output = { id: 'out', type: 'function_call_output', call_id: 'c', output: 'x'.repeat(megabyte) };
  await sendAll(session, [...ids.map(call), { type: 'conversation.item.create', item: output }]);
  session.take();
  const before = session.held.held;
  session.send({ type: 'response.create', response: response(ids) });
  await vi.waitFor(() => expect(session.types()).toContain('response.done'));
  expect(session.received.at(-1)?.response).toMatchObject({
    status: 'failed',
    status_details: {
      error: {
        code: 'request_too_large',
        message: 'The request of the response is larger than 32 MiB as JSON: delete items, or name fewer.',
      },
    },
  });
  expect(session.asked).toEqual([]);
  expect(session.held.held).toBe(before);
});

test("a response without room in its token's share fails before its request is written", async () => {
  const session = openHeld(20_000_000);
  await sendAll(session, [text('a', 3 * megabyte)]);
  const other = session.held.share('t');
  other.take(19_000_000 - session.held.held);
  session.send({ type: 'response.create' });
  await vi.waitFor(() => expect(session.types()).toContain('response.done'));
  expect(session.received.at(-1)?.response).toMatchObject({
    status_details: { error: { code: 'rate_limit_exceeded', message: 'The share is full.' } },
  });
  expect(session.held.held).toBe(19_000_000);
});

test('the request of a client that has left is not written to its end', async () => {
  const session = openHeld();
  await sendAll(session, [text('a', 8 * megabyte)]);
  session.send({ type: 'response.create' });
  await setImmediate();
  expect(session.held.held).toBeGreaterThan(23 * megabyte);
  session.session.cancel();
  while (session.held.held > 0) await setImmediate();
  expect(session.asked).toEqual([]);
});

test.each([false, true])(
  'items that are retrieved are written one at a time, as the client takes them (beta: %s)',
  async beta => {
    const session = openHeld(64_000_000, beta);
    const { send, received, types, take, held } = session;
    await sendAll(session, [text('a', 4 * megabyte)]);
    take();
    const stored = held.held;
    received.length = 0;
    expect(send({ type: 'conversation.item.retrieve', item_id: 'a' })).toBe(false);
    while (received.length === 0) await setImmediate();
    expect(held.held).toBe(stored);
    // The messages that follow wait at the connection, and are passed on once this resolves.
    let ready = false;
    void session.session.drained.then(() => (ready = true));
    for (let i = 0; i < 20; i++) await setImmediate();
    expect([types(), ready]).toEqual([['conversation.item.retrieved'], false]);
    take();
    await setImmediate();
    expect(ready).toBe(true);
    const item = received[0]?.item as { content: { text: string }[] };
    expect(item.content[0]?.text).toHaveLength(4 * megabyte);
  },
);

test("an item that has no room in its token's share is an error event, and not made", async () => {
  const session = openHeld(20_000_000);
  await sendAll(session, [text('a', 3 * megabyte)]);
  session.take();
  session.received.length = 0;
  const other = session.held.share('t');
  other.take(19_000_000 - session.held.held);
  expect(session.send({ type: 'conversation.item.retrieve', item_id: 'a', event_id: 'mine' })).toBe(true);
  expect(session.received).toMatchObject([
    { type: 'error', error: { code: 'rate_limit_exceeded', event_id: 'mine' } },
  ]);
  await sendAll(session, [text('b', megabyte)]);
  expect(session.received.at(-1)).toMatchObject({ type: 'error', error: { code: 'rate_limit_exceeded' } });
});

test('what a session holds is released at its end', async () => {
  const session = openHeld();
  await sendAll(session, [text('a', 4 * megabyte), text('b', 1)]);
  expect(session.held.held).toBeGreaterThan(7 * megabyte);
  session.session.close();
  expect(session.held.held).toBe(0);
});

test('a large message with many turns of audio is handled in steps, as the client takes its events', async () => {
  let turns = 0;
  let waits = Promise.withResolvers<void>();
  waits.resolve();
  const session = open([], {
    transcription: 'ears',
    helpers: { transcribe: async () => ({ text: '', usage: null }) },
    turn: async () => void turns++,
    ready: () => waits.promise,
  });
  const turn_detection = { type: 'server_vad', silence_duration_ms: 0, create_response: false };
  const format = { type: 'audio/pcmu' };
  session.update({ audio: { input: { format, turn_detection } } });
  // 60 ms of noise and 20 ms of silence, again and again.
  const turn = Buffer.alloc(640, 0xff);
  turn.fill(0x00, 0, 480);
  const audio = Buffer.concat(Array(2_000).fill(turn));
  waits = Promise.withResolvers();
  const handled = session.send({ type: 'input_audio_buffer.append', audio: audio.toString('base64') });
  for (let i = 0; i < 20; i++) await setImmediate();
  const committed = () => session.of('input_audio_buffer.committed').length;
  expect(committed()).toBeGreaterThan(10);
  expect(committed()).toBeLessThan(100);
  waits.resolve();
  await handled;
  expect(committed()).toBeGreaterThan(1_900);
  expect(turns).toBeGreaterThan(4);
});

test('recordings that wait to be transcribed count more than their audio', async () => {
  const session = openAudio([], { transcribe: () => new Promise(() => {}) });
  session.update({ audio: { input: { turn_detection: null, transcription: {} } } });
  const content = Array(1_000).fill({ type: 'input_audio', audio: 'AAAA' });
  session.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  await setImmediate();
  const failed = session.of('conversation.item.input_audio_transcription.failed');
  expect(failed.length).toBeGreaterThan(1_000 - maxWaiting / recordingBytes - 2);
  expect(failed[0]).toMatchObject({ error: { code: 'too_many_requests' } });
});

test('an answer that is too long fails', async () => {
  const { send, first, done } = open([says(...textOf('x'.repeat(maxAnswer + 1)), finish())]);
  send({ type: 'response.create' });
  await done();
  const message = `The model's answer is longer than ${maxAnswer} characters.`;
  expect(first('response.done').response).toMatchObject({
    status: 'failed',
    status_details: { error: { code: 'server_error', message } },
  });
});
