import { setImmediate } from 'node:timers/promises';
import { GatewayError } from '@model-gateway/canonical';
import { expect, test, vi } from 'vitest';
import { catalogOf, delta, finish, modelRecord, openSession, part, start } from '../testing/open-session.ts';
import { helpersOf } from './model-calls.ts';

test("a response is a call of the session's model, recorded with the session's format", async () => {
  const { asked, send, types, share, received, endSlot } = openSession();
  expect(send({ type: 'response.create' })).toBe(true);
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]).toMatchObject({
    pool: 'near',
    envelope: {
      requestId: 'req_1',
      operation: 'generate',
      format: 'realtime',
      session: true,
      model: 'talker',
      stream: true,
      route: { provider: 'near', model: 'talker-there', body: 'canonical' },
    },
  });
  const body = Buffer.from(asked[0]?.body as Uint8Array);
  expect(JSON.parse(body.toString())).toHaveProperty('messages');
  const taken = share.take.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0);
  expect(taken).toBeGreaterThanOrEqual(body.length);
  const usage = { input: 7, output: 3 } as never;
  asked[0]?.onEvents([start, part, delta('Hi'), { ...finish, usage }], 0);
  await vi.waitFor(() => expect(types()).toContain('response.done'));
  expect(received.at(-1)?.response).toMatchObject({
    status: 'completed',
    usage: { input_tokens: 7, output_tokens: 3 },
  });
  expect(share.release).toHaveBeenCalled();
  expect(endSlot).toHaveBeenCalledExactlyOnceWith(usage, undefined);
});

test('a response over a limit of the token fails with that error, and the session goes on', async () => {
  const { asked, send, received, types, takeSlot } = openSession();
  takeSlot.mockRejectedValueOnce(new GatewayError('rate-limited', 'This token has reached its limit.'));
  send({ type: 'response.create' });
  await vi.waitFor(() => expect(types()).toContain('response.done'));
  expect(asked).toEqual([]);
  expect(received.at(-1)?.response).toMatchObject({
    status: 'failed',
    status_details: { error: { message: 'This token has reached its limit.' } },
  });
  send({ type: 'response.create' });
  await vi.waitFor(() => expect(asked).toHaveLength(1));
});

test('an error names the fields of the session', async () => {
  const { asked, send, types, received } = openSession();
  send({ type: 'response.create' });
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  const refused = {
    kind: 'invalid-request',
    message: 'Unsupported.',
    template: "Unsupported '{path}'.",
  } as const;
  asked[0]?.onEvents([{ type: 'error', ...refused, path: 'messages[0]' }], 0);
  await vi.waitFor(() => expect(types()).toContain('response.done'));
  expect(received.at(-1)?.response).toMatchObject({
    status_details: { error: { message: "Unsupported 'items[0]'." } },
  });
});

test('another target is asked before the answer begins, none after it', async () => {
  const { asked, send, types, received } = openSession({ providers: ['near', 'far'] });
  send({ type: 'response.create' });
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.onEvents([{ type: 'error', kind: 'upstream', message: 'Gone.' }], 0);
  expect(asked).toHaveLength(2);
  expect(new Set(asked.map(({ pool }) => pool))).toEqual(new Set(['near', 'far']));
  asked[1]?.onEvents([start, part, delta('Hi')], 0);
  asked[1]?.onEvents([{ type: 'error', kind: 'upstream', message: 'Cut.' }], 0);
  await vi.waitFor(() => expect(types()).toContain('response.done'));
  expect(asked).toHaveLength(2);
  expect(received.at(-1)?.response).toMatchObject({
    status: 'failed',
    status_details: { error: { message: 'Cut.' } },
  });
});

test('a client that does not read pauses its messages and its model', async () => {
  const { session, asked, send, take } = openSession();
  send({ type: 'response.create' });
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.onEvents([start, part, delta('Hi')], 10);
  expect(asked[0]?.call.consumed).toHaveBeenCalledWith(10);
  asked[0]?.onEvents([delta('x'.repeat(300_000))], 300_000);
  expect(send({ type: 'input_audio_buffer.clear' })).toBe(false);
  let drained = false;
  void session.drained.then(() => {
    drained = true;
  });
  await setImmediate();
  expect(asked[0]?.call.consumed).toHaveBeenCalledTimes(1);
  expect(drained).toBe(false);
  take();
  await vi.waitFor(() => expect(drained).toBe(true));
  expect(asked[0]?.call.consumed).toHaveBeenLastCalledWith(300_000);
});

test.each(['close', 'cancel'] as const)('a response stops when the client is gone: %s', async how => {
  const { session, asked, send, share } = openSession();
  send({ type: 'response.create' });
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.onEvents([start, part, delta('Hi')], 0);
  session[how]();
  expect(asked[0]?.call.cancel).toHaveBeenCalled();
  await vi.waitFor(() => expect(share.release).toHaveBeenCalled());
});

test('a cancelled response reports the usage as far as it is known', async () => {
  const { asked, send, types, received } = openSession();
  send({ type: 'response.create' });
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.onEvents([start, part, delta('Twelve chars')], 0);
  send({ type: 'response.cancel' });
  expect(types()).toContain('response.done');
  expect(received.at(-1)?.response).toMatchObject({ status: 'cancelled', usage: { output_tokens: 3 } });
  expect(asked[0]?.call.cancel).toHaveBeenCalled();
});

test('helper models are those that are in the catalog', () => {
  const realtime = { transcription: 'ears', speech: 'mouth' };
  const catalog = catalogOf([modelRecord('ears', ['far'])]);
  expect(helpersOf(modelRecord('talker', ['near'], realtime), catalog)).toEqual({
    transcription: 'ears',
    speech: undefined,
  });
  expect(helpersOf(modelRecord('talker', ['near']), catalog)).toEqual({
    transcription: undefined,
    speech: undefined,
  });
});
