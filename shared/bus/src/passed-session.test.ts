import { expect, test } from 'vitest';
import { PassedSession } from './passed-session.ts';

const event = (type: string, fields: object = {}) => Buffer.from(JSON.stringify({ type, ...fields }));
const created = event('response.created', { response: { id: 'r' } });
const done = (usage: object | null) => event('response.done', { response: { id: 'r', usage } });
const text = (delta: string) => event('response.output_text.delta', { item_id: 'i', delta });
const audio = (bytes: number) =>
  event('response.output_audio.delta', { delta: Buffer.alloc(bytes).toString('base64'), item_id: 'i' });

/** A session after these events of the provider. */
function after(...events: Buffer[]): PassedSession {
  const session = new PassedSession();
  for (const each of events) session.received(each);
  return session;
}

const g711 = event('session.updated', { session: { audio: { output: { format: { type: 'audio/pcmu' } } } } });
const beta = event('session.created', { session: { output_audio_format: 'g711_alaw' } });

test.each([
  ['text', 10, [created, text('a'.repeat(20)), text('b'.repeat(20))]],
  ['text with escapes', 3, [created, text('"a"\n\u00e4 b')]],
  ['calls', 6, [created, event('response.function_call_arguments.delta', { delta: '{"city": "Oslo"}..' })]],
  ['a second of sound as PCM', 20, [created, audio(48_000)]],
  ['a second of sound as G.711', 20, [g711, created, audio(7_998)]],
  [
    'the same in the beta protocol',
    20,
    [beta, created, event('response.audio.delta', { delta: 'AAAA'.repeat(2_666) })],
  ],
  [
    'sound with a transcript',
    25,
    [created, audio(48_000), event('response.audio_transcript.delta', { delta: 'x'.repeat(20) })],
  ],
  [
    'a response after one that ended',
    5,
    [created, text('a'.repeat(400)), done(null), created, text('b'.repeat(20))],
  ],
])('the output of %s is estimated', (_, tokens, events) => {
  expect(after(...events).output).toBe(tokens);
});

test('the input of a response is the conversation before it, and what the client has sent since', () => {
  const session = after(created, done({ input_tokens: 300, output_tokens: 20 }));
  expect([session.input, session.open, session.usage]).toMatchObject([320, 0, { input: 300, output: 20 }]);
  session.sent(Buffer.from('x'.repeat(400)));
  expect(session.input).toBe(420);
  const append = event('input_audio_buffer.append', { audio: Buffer.alloc(48_000).toString('base64') });
  session.sent(append);
  // Ten tokens for a second.
  expect(session.input).toBeGreaterThanOrEqual(430);
  expect(session.input).toBeLessThan(435);
  session.received(created);
  session.received(done({ input_tokens: 440, output_tokens: 0 }));
  expect(session.input).toBe(440);
});

test('what is no event of a session changes nothing', () => {
  const session = after(
    Buffer.from('"response.done'),
    Buffer.from('{"type":"response.done"'),
    Buffer.alloc(0),
  );
  expect([session.open, session.output, session.input, session.usage]).toEqual([0, 0, 0, null]);
});
