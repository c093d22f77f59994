import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';
import { RealtimeClient, type Seen, speech } from '../testing/realtime-client.ts';
import { atStandstill, pass, waiting } from '../testing/standstill.ts';

let simulator: StartedSimulator;
const clients: RealtimeClient[] = [];
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.terminate();
  await simulator.close();
});

const stats = async () => (await fetch(`${simulator.url}/stats`)).json();

async function open(model = 'sim-fast', session?: object, ...more: [object?, string[]?]) {
  const client = await RealtimeClient.open(simulator.url, model, ...more);
  clients.push(client);
  await client.until('session.created');
  if (!session) return client;
  client.send('session.update', { session: { type: 'realtime', ...session } });
  await client.until('session.updated');
  return client;
}

const text = { output_modalities: ['text'] };
const manual = { audio: { input: { turn_detection: null } } };
const types = (events: Seen[]) => events.map(({ type }) => type);
const joined = (events: Seen[], type: string) =>
  events
    .filter(event => event.type === type)
    .map(({ delta }) => delta)
    .join('');
const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe('a text turn', () => {
  test('has the events of the vendor in order', async () => {
    const client = await open('sim-fast', text);
    client.say('What is the gateway?');
    client.send('response.create');
    const events = await client.until('rate_limits.updated');
    const order = types(events).filter((type, at, all) => type !== all[at - 1]);
    expect(order).toEqual([
      'conversation.item.added',
      'conversation.item.done',
      'response.created',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
      'rate_limits.updated',
    ]);
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
    const [parsed] = events as [Seen];
    const done = events.find(({ type }) => type === 'response.output_text.done') as Seen;
    expect(done.text).toContain('Model Gateway puts');
    expect(joined(events, 'response.output_text.delta')).toBe(done.text);
    const added = events.filter(({ type }) => type === 'conversation.item.added');
    expect(added[0]).toMatchObject({ previous_item_id: null });
    expect(added[1]).toMatchObject({ previous_item_id: parsed.item.id, item: { status: 'in_progress' } });
    const { response } = events.at(-2) as Seen;
    const content = [{ type: 'output_text', text: done.text }];
    expect(response).toMatchObject({
      object: 'realtime.response',
      status: 'completed',
      status_details: null,
      output_modalities: ['text'],
      output: [{ type: 'message', role: 'assistant', status: 'completed', content }],
    });
    const { usage } = response;
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta').length;
    expect(usage.output_token_details).toEqual({ text_tokens: deltas, audio_tokens: 0 });
    expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
    expect(usage.input_token_details).toMatchObject({ text_tokens: usage.input_tokens, cached_tokens: 0 });
    expect(await stats()).toMatchObject({ usage: { input: usage.input_tokens, output: deltas } });
  });

  test('is written at the pace of the model', async () => {
    const started = await atStandstill(simulator);
    const { clock } = started;
    simulator = started.simulator;
    const client = await open('sim-t10-i20ms-f100ms', text);
    const responding = client.respond();
    for (const ms of [100, ...Array(10).fill(20)]) {
      // The session has a timer of its own.
      await waiting(clock, 2);
      await pass(clock, ms);
    }
    expect((await responding).at(-1)?.response.status).toBe('completed');
  });

  test('may have a token limit and other settings than the session', async () => {
    const client = await open('sim-fast', { ...text, instructions: 'Answer in five words.' });
    client.say('What is the gateway?');
    const short = (await client.respond()).at(-1)?.response;
    expect(short.output[0].content[0].text.split(' ')).toHaveLength(5);
    const cut = (
      await client.respond({ max_output_tokens: 3, metadata: { mine: 'yes' }, instructions: '' })
    ).at(-1);
    expect(cut?.response).toMatchObject({
      status: 'incomplete',
      status_details: { type: 'incomplete', reason: 'max_output_tokens' },
      max_output_tokens: 3,
      metadata: { mine: 'yes' },
      output: [{ status: 'incomplete' }],
    });
  });

  test('ends with status cancelled after response.cancel', async () => {
    const client = await open('sim-t500-i10ms', text);
    client.send('response.create');
    await client.until('response.output_text.delta');
    client.send('response.cancel');
    const events = await client.until('response.done');
    expect(events.at(-1)?.response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'client_cancelled' },
      output: [{ status: 'incomplete' }],
    });
    expect(types(events)).toContain('response.output_item.done');
    expect(await stats()).toMatchObject({ cancelled: 1, streams: 0, usage: { output: 0 } });
    client.send('response.cancel', { event_id: 'again' });
    expect((await client.next('error')).error).toMatchObject({
      code: 'response_cancel_not_active',
      event_id: 'again',
    });
  });
});

test('a function is called, and its output is in the next response', async () => {
  const client = await open('sim-fast', { ...text, tools: [weather] });
  client.say('What is the weather in Oslo and Rome?');
  const events = await client.respond();
  const calls = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
  expect(calls).toMatchObject([
    { type: 'function_call', name: 'get_weather', status: 'completed', call_id: expect.any(String) },
    { type: 'function_call' },
  ]);
  expect(JSON.parse(calls[0].arguments)).toEqual({ city: 'Oslo' });
  const done = events.filter(({ type }) => type === 'response.function_call_arguments.done');
  expect(done.map(one => one.arguments)).toEqual(calls.map(one => one.arguments));
  expect(events.at(-1)?.response).toMatchObject({ status: 'completed', output: calls });
  for (const [at, { call_id }] of calls.entries())
    client.send('conversation.item.create', {
      item: { type: 'function_call_output', call_id, output: `${at} degrees` },
    });
  const { response } = (await client.respond()).at(-1) as Seen;
  expect(response.output[0].content[0].text).toMatch(/get_weather.*Oslo.* gave 0 degrees.* gave 1 degrees/);
  const item = { type: 'function_call_output', call_id: 'call_other', output: '' };
  client.send('conversation.item.create', { item });
  expect((await client.next('error')).error.code).toBe('invalid_tool_call_id');
});

describe('items', () => {
  test('are added, retrieved and deleted', async () => {
    const client = await open();
    const item = (id: string) => ({
      item: { id, type: 'message', role: 'system', content: [{ type: 'input_text', text: id }] },
    });
    const create = async (id: string) => {
      client.send('conversation.item.create', item(id));
      return (await client.next('conversation.item.done')).previous_item_id;
    };
    expect(await create('a')).toBeNull();
    expect(await create('b')).toBe('a');
    client.send('conversation.item.retrieve', { item_id: 'b' });
    expect((await client.next('conversation.item.retrieved')).item.content[0].text).toBe('b');
    client.send('conversation.item.delete', { item_id: 'b' });
    expect(await client.next('conversation.item.deleted')).toMatchObject({ item_id: 'b' });
    expect(await create('d')).toBe('a');
    const refused: [string, object, string][] = [
      ['conversation.item.retrieve', { item_id: 'b' }, 'item_retrieve_invalid_item_id'],
      ['conversation.item.delete', { item_id: 'b' }, 'item_delete_invalid_item_id'],
      ['conversation.item.create', item('a'), 'item_id_already_exists'],
    ];
    for (const [type, fields, code] of refused) {
      client.send(type, fields);
      expect((await client.next('error')).error.code).toBe(code);
    }
  });
});

describe('audio', () => {
  test('of a response has a transcript', async () => {
    const client = await open();
    client.say('What is the gateway? Be brief.');
    const events = await client.respond();
    const transcript = 'Model Gateway puts every model behind one base URL and one token.';
    expect(joined(events, 'response.output_audio_transcript.delta')).toBe(transcript);
    const audio = Buffer.concat(
      events.flatMap(({ type, delta }) =>
        type === 'response.output_audio.delta' ? [Buffer.from(delta, 'base64')] : [],
      ),
    );
    const ms = transcript.length * 60;
    expect(audio).toHaveLength(ms * 48);
    const { response } = events.at(-1) as Seen;
    const [item] = response.output;
    expect(item.content).toEqual([{ type: 'output_audio', transcript }]);
    expect(response.usage.output_token_details).toMatchObject({ audio_tokens: ms / 50 });
    expect(types(events)).not.toContain('response.output_text.delta');
    const part = events.find(({ type }) => type === 'response.content_part.added')?.part;
    expect(part).toEqual({ type: 'audio', transcript: '' });
  });

  test('of the client is committed and transcribed', async () => {
    const transcription = { model: 'gpt-4o-transcribe' };
    const client = await open('sim-fast', {
      ...text,
      audio: { input: { turn_detection: null, transcription } },
    });
    const append = (ms: number) =>
      client.send('input_audio_buffer.append', { audio: speech(ms, 0).toString('base64') });
    client.send('input_audio_buffer.commit');
    expect((await client.next('error')).error.code).toBe('input_audio_buffer_commit_empty');
    append(1_000);
    client.send('input_audio_buffer.clear');
    await client.until('input_audio_buffer.cleared');
    append(4_000);
    append(3_000);
    client.send('input_audio_buffer.commit');
    const events = await client.until('conversation.item.input_audio_transcription.completed');
    const { item_id, transcript, usage } = events.at(-1) as Seen;
    expect(events[0]).toMatchObject({ type: 'input_audio_buffer.committed', item_id });
    expect(transcript).toMatch(/^Good morning, and thank you all for joining the call\. Today/);
    expect(joined(events, 'conversation.item.input_audio_transcription.delta')).toBe(transcript);
    expect(usage).toMatchObject({ type: 'tokens', output_tokens: 20 });
    client.send('conversation.item.retrieve', { item_id });
    const [part] = (await client.next('conversation.item.retrieved')).item.content;
    expect(part).toMatchObject({ type: 'input_audio', transcript });
    const { response } = (await client.respond()).at(-1) as Seen;
    expect(response.usage.input_token_details.audio_tokens).toBe(70);
    expect(response.output[0].content[0].text).toMatch(/^You said: “Good morning/);
  });

  test('is added to the conversation even if its transcription fails', async () => {
    const audio = { input: { transcription: { model: 'fault-500' } } };
    const client = await open('sim-fast', { ...text, audio });
    client.send('input_audio_buffer.append', { audio: speech(500, 0).toString('base64') });
    client.send('input_audio_buffer.commit');
    const { error } = await client.next('conversation.item.input_audio_transcription.failed');
    expect(error.code).toBe('server_error');
    expect((await client.respond()).at(-1)?.response.status).toBe('completed');
  });
});

describe('the session', () => {
  test('is sent to the client, and an update changes only the settings that it contains', async () => {
    const client = await open();
    const [{ session }] = client.seen as [Seen];
    expect(session).toMatchObject({
      type: 'realtime',
      object: 'realtime.session',
      model: 'sim-fast',
      output_modalities: ['audio'],
      audio: { input: { turn_detection: null } },
    });
    expect(session.expires_at - Date.now() / 1_000).toBeGreaterThan(3_500);
    const audio = { input: { transcription: { model: 'w' } } };
    client.send('session.update', { session: { type: 'realtime', model: 'sim-fast', audio } });
    const changed = (await client.next('session.updated')).session;
    expect(changed.audio.input).toMatchObject({
      transcription: { model: 'w' },
      format: { type: 'audio/pcm', rate: 24_000 },
    });
    expect(changed.audio.output).toEqual(session.audio.output);
    client.send('session.update', {
      session: { type: 'realtime', audio: { input: { turn_detection: null } } },
    });
    expect((await client.next('session.updated')).session.audio.input).toMatchObject({
      turn_detection: null,
      transcription: { model: 'w' },
    });
  });

  test.each<[string, object | string, object]>([
    ['invalid JSON', '{"type":', { event_id: null }],
    ['an event that is no object', '[]', { message: expect.stringMatching(/object/) }],
    [
      'an unknown event',
      { type: 'make.tea', event_id: 'x' },
      { code: 'invalid_value', param: 'type', event_id: 'x' },
    ],
    [
      'an unknown field',
      { type: 'response.create', response: { modalities: ['text'] } },
      { code: 'unknown_parameter', param: 'response.modalities' },
    ],
    [
      'a session update without a type',
      { type: 'session.update', session: {} },
      { code: 'missing_required_parameter', param: 'session.type' },
    ],
    [
      'an update with another model',
      { type: 'session.update', session: { type: 'realtime', model: 'other' } },
      { param: 'session.model' },
    ],
    [
      'an update with both modalities',
      { type: 'session.update', session: { type: 'realtime', output_modalities: ['text', 'audio'] } },
      { param: expect.stringMatching(/^session.output_modalities/) },
    ],
    ['audio that is no base64', { type: 'input_audio_buffer.append', audio: '???' }, { param: 'audio' }],
    [
      'audio of the assistant',
      {
        type: 'conversation.item.create',
        item: { type: 'message', role: 'assistant', content: [{ type: 'output_audio', audio: '' }] },
      },
      { code: 'invalid_value' },
    ],
  ])('continues after %s', async (_what, event, error) => {
    const client = await open('sim-fast', { ...text, ...manual });
    client.socket.send(typeof event === 'string' ? event : JSON.stringify(event));
    expect((await client.next('error')).error).toMatchObject({ type: 'invalid_request_error', ...error });
    expect((await client.respond()).at(-1)?.response.status).toBe('completed');
  });

  test('is recorded and counted, and so is a client that disconnects', async () => {
    const client = await open('sim-t500-i10ms', text);
    client.send('response.create');
    await client.until('response.output_text.delta');
    expect(await stats()).toMatchObject({ sessions: 1, streams: 1, cancelled: 0, sessionsLeft: 0 });
    client.socket.close();
    await vi.waitFor(async () =>
      expect(await stats()).toMatchObject({ sessions: 0, streams: 0, cancelled: 1, sessionsLeft: 1 }),
    );
    const [{ path, body }] = simulator.requests as [StartedSimulator['requests'][number]];
    expect(path).toBe('/v1/realtime?model=sim-t500-i10ms');
    expect(body.trimEnd().split('\n')).toHaveLength(2);
  });

  test('accepts a key as a subprotocol, and selects only realtime', async () => {
    const protocols = ['realtime', 'openai-insecure-api-key.any'];
    const client = await open('sim-fast', undefined, {}, protocols);
    expect(client.socket.protocol).toBe('realtime');
    const invalid = RealtimeClient.open(simulator.url, 'sim-fast', {}, [
      'realtime',
      'openai-insecure-api-key.invalid',
    ]);
    await expect(invalid).rejects.toThrow(/^401/);
  });

  test('rejects the beta protocol', async () => {
    const client = await RealtimeClient.open(simulator.url, 'sim-fast', {
      headers: { 'openai-beta': 'realtime=v1' },
    });
    expect(await client.closed).toEqual({
      code: 4000,
      reason: 'invalid_request_error.beta_api_shape_disabled',
    });
    expect(client.seen).toMatchObject([{ type: 'error', error: { code: 'beta_api_shape_disabled' } }]);
  });
});
