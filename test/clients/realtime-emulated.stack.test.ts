import type { UsageRecord } from '@model-gateway/canonical';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { bearer, openRaw, type RawClient, url } from './realtime-client.ts';
import { type EmulatedGateway, sound, startEmulated } from './realtime-emulated.ts';

let gateway: EmulatedGateway;
beforeAll(async () => {
  gateway = await startEmulated();
});
afterAll(() => gateway?.stop());

let opened: RawClient[] = [];
afterEach(() => {
  for (const { socket } of opened) socket.terminate();
  opened = [];
});

async function open(model: string): Promise<RawClient> {
  const { stack } = gateway;
  const client = await openRaw(url(stack.url, model), bearer(stack.token));
  opened.push(client);
  await client.event('session.created');
  return client;
}

const update = (session: object) => ({ type: 'session.update', session: { type: 'realtime', ...session } });
const statuses = (client: RawClient) =>
  client.events.flatMap(({ type, response }) =>
    type === 'response.done' ? [(response as { status: string }).status] : [],
  );
const done = (client: RawClient, count = 1) => vi.waitFor(() => expect(statuses(client)).toHaveLength(count));
const all = (client: RawClient, type: string) => client.events.filter(event => event.type === type);
const recorded = ({ requestId }: RawClient, count: number) => gateway.stack.recordsOf(requestId, count);
const brief = ({ operation, format, model, outcome, charged }: UsageRecord) => ({
  operation,
  format,
  model,
  outcome,
  charged,
});

describe.each(['text', 'text-responses', 'text-messages', 'text-gemini'])(
  'an emulated session with the model %s',
  model => {
    test('a text turn is followed by another that knows it', async () => {
      const client = await open(model);
      client.send(update({ instructions: 'Answer in five words.' }));
      client.say('Good morning.');
      await done(client);
      client.say('And good night.');
      await done(client, 2);
      expect(statuses(client)).toEqual(['completed', 'completed']);
      const [first, second] = all(client, 'response.done').map(
        ({ response }) => (response as { usage: { input_tokens: number; output_tokens: number } }).usage,
      );
      expect(first?.output_tokens).toBeGreaterThan(0);
      expect(second?.input_tokens).toBeGreaterThan(first?.input_tokens ?? 0);
      expect(all(client, 'error')).toEqual([]);
      const records = await recorded(client, 2);
      expect(brief(records[0] as UsageRecord)).toEqual({
        operation: 'realtime',
        format: 'realtime',
        model,
        outcome: 'answered',
        charged: true,
      });
      expect(records[0]?.usage).toMatchObject({ input: first?.input_tokens, output: first?.output_tokens });
    });
  },
);

describe('an emulated session', () => {
  test('a failed response reports why without a secret, and the session continues', async () => {
    for (const [model, code] of [
      ['failing', 'rate_limit_exceeded'],
      ['broken', 'server_error'],
    ] as const) {
      const client = await open(model);
      client.say('Hello');
      await done(client);
      const response = all(client, 'response.done')[0]?.response;
      expect(response).toMatchObject({ status: 'failed', status_details: { error: { code } } });
      expect(JSON.stringify(response)).not.toMatch(/127\.0\.0\.1|localhost|sk-/);
      client.send(update({ instructions: 'x' }));
      await client.event('session.updated');
      const [record] = await recorded(client, 1);
      expect(record).toMatchObject({ operation: 'realtime', outcome: 'failed' });
    }
  });

  test('a session fails over to the next target', async () => {
    const client = await open('second-best');
    client.say('Hello');
    await done(client);
    expect(statuses(client)).toEqual(['completed']);
    const records = await recorded(client, 2);
    expect(records.map(({ provider, outcome }) => [provider, outcome])).toEqual([
      ['chat', 'failed'],
      ['messages', 'answered'],
    ]);
  });

  test('a cancelled response closes its upstream within a second, and is counted once', async () => {
    const client = await open('slow');
    const { simulator } = gateway;
    client.say('Tell me a story.');
    await client.event('response.output_text.delta');
    expect(simulator.openStreams()).toBe(1);
    client.send({ type: 'response.cancel' });
    await vi.waitFor(() => expect(simulator.openStreams()).toBe(0));
    await done(client);
    expect(all(client, 'response.done')[0]?.response).toMatchObject({
      status: 'cancelled',
      status_details: { reason: 'client_cancelled' },
      usage: { output_tokens: expect.any(Number) },
    });
    const [record] = await recorded(client, 1);
    expect(record).toMatchObject({
      operation: 'realtime',
      outcome: 'cancelled',
      charged: true,
      estimated: true,
    });
    client.send({ type: 'response.cancel', event_id: 'late' });
    expect(await client.event('error')).toMatchObject({
      error: { code: 'response_cancel_not_active', event_id: 'late' },
    });
  });

  test('a session closes its upstream when the client disconnects', async () => {
    const client = await open('slow');
    client.say('Tell me a story.');
    await client.event('response.output_text.delta');
    client.socket.terminate();
    await vi.waitFor(() => expect(gateway.simulator.openStreams()).toBe(0));
    expect(await recorded(client, 1)).toMatchObject([{ outcome: 'cancelled' }]);
  });
});

describe('audio of an emulated session', () => {
  const append = (client: RawClient, audio: Buffer) =>
    client.send({ type: 'input_audio_buffer.append', audio: audio.toString('base64') });
  const heard = (client: RawClient) =>
    Buffer.concat(
      all(client, 'response.output_audio.delta').map(({ delta }) => Buffer.from(String(delta), 'base64')),
    );

  test('audio is transcribed and answered in speech, each by its own model', async () => {
    const client = await open('talker');
    const input = { turn_detection: null, transcription: { model: 'whisper-1' } };
    client.send(update({ audio: { input, output: { speed: 1.5 } } }));
    append(client, sound(1_000));
    append(client, sound(400, false));
    client.send({ type: 'input_audio_buffer.commit' });
    client.send({ type: 'response.create' });
    await done(client);
    expect(statuses(client)).toEqual(['completed']);
    const transcript = String(
      all(client, 'conversation.item.input_audio_transcription.completed')[0]?.transcript ?? '',
    );
    expect(transcript).not.toBe('');
    const said = all(client, 'response.output_audio_transcript.done')[0]?.transcript;
    // The simulator's speech has 60 ms for each character.
    expect(heard(client).length).toBeGreaterThan(String(said).trim().length * 40 * 48 * 0.9);
    const chat = gateway.simulator.requests.findLast(({ body = '' }) => body.includes('"messages"'));
    expect(chat?.body).toContain(JSON.stringify(transcript).slice(1, -1));
    const spoken = gateway.simulator.requests.findLast(({ body = '' }) => body.includes('"input"'));
    const asked = { voice: 'sage', response_format: 'pcm', speed: 1.5 };
    expect(JSON.parse(spoken?.body ?? '')).toMatchObject(asked);
    const speeches = all(client, 'response.output_audio.done').length;
    expect(speeches).toBe(1);
    const records = await vi.waitFor(() => {
      const found = gateway.stack.usage.filter(({ requestId }) => requestId === client.requestId);
      expect(new Set(found.map(({ operation }) => operation)).size).toBe(3);
      return found;
    });
    expect(records.map(brief)).toEqual(
      expect.arrayContaining([
        { operation: 'transcribe', format: 'realtime', model: 'ears', outcome: 'answered', charged: true },
        { operation: 'realtime', format: 'realtime', model: 'talker', outcome: 'answered', charged: true },
        { operation: 'speech', format: 'realtime', model: 'mouth', outcome: 'answered', charged: true },
      ]),
    );
  });

  test('audio is answered once the user is silent, and interrupted when the user speaks again', async () => {
    const client = await open('slow-talker');
    for (let i = 0; i < 20; i++) append(client, sound(20));
    for (let i = 0; i < 30; i++) append(client, sound(20, false));
    await client.event('input_audio_buffer.speech_stopped');
    await client.event('response.output_audio.delta');
    for (let i = 0; i < 5; i++) append(client, sound(20));
    await done(client);
    expect(all(client, 'response.done')[0]?.response).toMatchObject({
      status: 'cancelled',
      status_details: { reason: 'turn_detected' },
    });
    await vi.waitFor(() => expect(gateway.simulator.openStreams()).toBe(0));
    const item_id = all(client, 'response.output_audio.delta')[0]?.item_id;
    client.send({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 100 });
    await client.event('conversation.item.truncated');
    client.send({ type: 'conversation.item.retrieve', item_id });
    expect(await client.event('conversation.item.retrieved')).toMatchObject({
      item: { content: [{ type: 'output_audio' }] },
    });
  });

  test('speech of a provider of another format is heard, too', async () => {
    const client = await open('translated-talker');
    client.say('Hello');
    await done(client);
    expect(statuses(client)).toEqual(['completed']);
    const said = all(client, 'response.output_audio_transcript.done')[0]?.transcript;
    expect(heard(client).length).toBeGreaterThan(String(said).trim().length * 60 * 48 * 0.9);
    const { path } = gateway.simulator.requests.at(-1) ?? {};
    expect(path).toBe('/v1/text-to-speech/sage/stream?output_format=pcm_24000');
  });

  test('audio that cannot be generated fails the response', async () => {
    const client = await open('mute');
    client.say('Hello');
    await done(client);
    expect(all(client, 'response.done')[0]?.response).toMatchObject({ status: 'failed' });
  });
});
