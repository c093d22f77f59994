import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';
import { RealtimeClient, type Seen, speech } from '../testing/realtime-client.ts';

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
  events.flatMap(event => (event.type === type ? [event.delta] : [])).join('');
const answered = async (client: RealtimeClient, response?: object) =>
  (await client.respond(response)).at(-1)?.response;

describe('a text turn', () => {
  test('has the events of the vendor in order', async () => {
    const client = await open('sim-fast', text);
    client.say('What is the gateway?');
    client.send('response.create');
    const events = await client.until('rate_limits.updated');
    const order = types(events).filter((type, at, all) => type !== all[at - 1]);
    expect(order.join(' ')).toBe(
      'conversation.item.added conversation.item.done response.created response.output_item.added ' +
        'conversation.item.added response.content_part.added response.output_text.delta ' +
        'response.output_text.done response.content_part.done conversation.item.done ' +
        'response.output_item.done response.done rate_limits.updated',
    );
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
    const [parsed] = events as [Seen];
    const done = events.find(({ type }) => type === 'response.output_text.done') as Seen;
    expect(done.text).toContain('Model Gateway puts');
    expect(joined(events, 'response.output_text.delta')).toBe(done.text);
    const added = events.filter(({ type }) => type === 'conversation.item.added');
    expect(added).toMatchObject([
      { previous_item_id: null },
      { previous_item_id: parsed.item.id, item: { status: 'in_progress' } },
    ]);
    const { response } = events.at(-2) as Seen;
    const status = 'completed';
    const content = [{ type: 'output_text', text: done.text }];
    const told = { object: 'realtime.response', status, status_details: null, output_modalities: ['text'] };
    expect(response).toMatchObject({
      ...{ ...told, output: [{ type: 'message', role: 'assistant', status, content }] },
    });
    const { input_tokens: input, output_tokens, ...usage } = response.usage;
    const output = events.filter(({ type }) => type === 'response.output_text.delta').length;
    expect(usage).toMatchObject({
      ...{ total_tokens: input + output_tokens },
      output_token_details: { text_tokens: output, audio_tokens: 0 },
      input_token_details: { text_tokens: input, cached_tokens: 0 },
    });
    expect(await stats()).toMatchObject({ usage: { input, output } });
  });

  test('ends with status cancelled after response.cancel', async () => {
    const client = await open('sim-t500-i10ms', text);
    client.send('response.create');
    await client.until('response.output_text.delta');
    client.send('response.cancel');
    const events = await client.until('response.done');
    const status_details = { type: 'cancelled', reason: 'client_cancelled' };
    const cancelled = { status: 'cancelled', status_details, output: [{ status: 'incomplete' }] };
    expect(events.at(-1)?.response).toMatchObject(cancelled);
    expect(types(events)).toContain('response.output_item.done');
    expect(await stats()).toMatchObject({ cancelled: 1, streams: 0, usage: { output: 0 } });
    client.send('response.cancel', { event_id: 'again' });
    const refused = { code: 'response_cancel_not_active', event_id: 'again' };
    expect((await client.next('error')).error).toMatchObject(refused);
  });
});

test('a function is called, and its output is in the next response', async () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const weather = { type: 'function', name: 'get_weather', description: 'The weather of a city', parameters };
  const client = await open('sim-fast', { ...text, tools: [weather] });
  client.say('What is the weather in Oslo and Rome?');
  const events = await client.respond();
  const of = (type: string) => events.filter(event => event.type === type);
  const calls = of('response.output_item.done').map(({ item }) => item);
  const type = 'function_call';
  const first = { type, name: 'get_weather', status: 'completed', call_id: expect.any(String) };
  expect(calls).toMatchObject([first, { type }]);
  expect(JSON.parse(calls[0].arguments)).toEqual({ city: 'Oslo' });
  const done = of('response.function_call_arguments.done');
  expect(done.map(one => one.arguments)).toEqual(calls.map(one => one.arguments));
  expect(events.at(-1)?.response).toMatchObject({ status: 'completed', output: calls });
  const give = (call_id: string, output: string) =>
    client.send('conversation.item.create', { item: { type: 'function_call_output', call_id, output } });
  for (const [at, { call_id }] of calls.entries()) give(call_id, `${at} degrees`);
  const gave = /get_weather.*Oslo.* gave 0 degrees.* gave 1 degrees/;
  expect((await answered(client)).output[0].content[0].text).toMatch(gave);
  give('call_other', '');
  expect((await client.next('error')).error.code).toBe('invalid_tool_call_id');
});

test('items are added, retrieved and deleted', async () => {
  const client = await open();
  const item = (id: string) => ({
    item: { id, type: 'message', role: 'system', content: [{ type: 'input_text', text: id }] },
  });
  const create = async (id: string) => {
    client.send('conversation.item.create', item(id));
    return (await client.next('conversation.item.done')).previous_item_id;
  };
  expect([await create('a'), await create('b')]).toEqual([null, 'a']);
  client.send('conversation.item.retrieve', { item_id: 'b' });
  expect((await client.next('conversation.item.retrieved')).item.content[0].text).toBe('b');
  client.send('conversation.item.delete', { item_id: 'b' });
  expect(await client.next('conversation.item.deleted')).toMatchObject({ item_id: 'b' });
  expect(await create('d')).toBe('a');
  for (const [type, fields, code] of [
    ['conversation.item.retrieve', { item_id: 'b' }, 'item_retrieve_invalid_item_id'],
    ['conversation.item.delete', { item_id: 'b' }, 'item_delete_invalid_item_id'],
    ['conversation.item.create', item('a'), 'item_id_already_exists'],
  ] as const) {
    client.send(type, fields);
    expect((await client.next('error')).error.code).toBe(code);
  }
});

describe('audio', () => {
  test('of a response has a transcript', async () => {
    const client = await open();
    client.say('What is the gateway? Be brief.');
    const events = await client.respond();
    const transcript = 'Model Gateway puts every model behind one base URL and one token.';
    expect(joined(events, 'response.output_audio_transcript.delta')).toBe(transcript);
    const deltas = events.filter(({ type }) => type === 'response.output_audio.delta');
    const audio = Buffer.concat(deltas.map(({ delta }) => Buffer.from(delta, 'base64')));
    const ms = transcript.length * 60;
    expect(audio).toHaveLength(ms * 48);
    const { response } = events.at(-1) as Seen;
    expect(response.output[0].content).toEqual([{ type: 'output_audio', transcript }]);
    expect(response.usage.output_token_details).toMatchObject({ audio_tokens: ms / 50 });
    expect(types(events)).not.toContain('response.output_text.delta');
    const part = events.find(({ type }) => type === 'response.content_part.added')?.part;
    expect(part).toEqual({ type: 'audio', transcript: '' });
  });

  test('of the client is committed and transcribed', async () => {
    const transcription = { model: 'gpt-4o-transcribe' };
    const audio = { input: { turn_detection: null, transcription } };
    const client = await open('sim-fast', { ...text, audio });
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
    const response = await answered(client);
    expect(response.usage.input_token_details.audio_tokens).toBe(70);
    expect(response.output[0].content[0].text).toMatch(/^You said: “Good morning/);
  });
});

describe('the session', () => {
  test('is sent to the client, and an update changes only the settings that it contains', async () => {
    const client = await open();
    const [{ session }] = client.seen as [Seen];
    const input = { turn_detection: null };
    const told = { type: 'realtime', object: 'realtime.session', model: 'sim-fast' };
    expect(session).toMatchObject({ ...told, output_modalities: ['audio'], audio: { input } });
    expect(session.expires_at - Date.now() / 1_000).toBeGreaterThan(3_500);
    const update = async (fields: object) => {
      client.send('session.update', { session: { type: 'realtime', ...fields } });
      return (await client.next('session.updated')).session.audio;
    };
    const transcription = { model: 'w' };
    const changed = await update({ model: 'sim-fast', audio: { input: { transcription } } });
    expect(changed.input).toMatchObject({ transcription, format: { type: 'audio/pcm', rate: 24_000 } });
    expect(changed.output).toEqual(session.audio.output);
    expect((await update({ audio: { input } })).input).toMatchObject({ ...input, transcription });
  });

  const item = { type: 'message', role: 'assistant', content: [{ type: 'output_audio', audio: '' }] };
  test.each<[object | string, object]>([
    ['{"type":', { event_id: null }],
    ['[]', { message: expect.stringMatching(/object/) }],
    [
      { type: 'make.tea', event_id: 'x' },
      { code: 'invalid_value', param: 'type', event_id: 'x' },
    ],
    [
      { type: 'response.create', response: { modalities: ['text'] } },
      { code: 'unknown_parameter', param: 'response.modalities' },
    ],
    [{ type: 'session.update', session: { type: 'realtime', model: 'other' } }, { param: 'session.model' }],
    [{ type: 'input_audio_buffer.append', audio: '???' }, { param: 'audio' }],
    [{ type: 'conversation.item.create', item }, { code: 'invalid_value' }],
  ])('continues after the event %j', async (event, error) => {
    const client = await open('sim-fast', { ...text, ...manual });
    client.socket.send(typeof event === 'string' ? event : JSON.stringify(event));
    expect((await client.next('error')).error).toMatchObject({ type: 'invalid_request_error', ...error });
    expect((await answered(client)).status).toBe('completed');
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
    const invalid = ['realtime', 'openai-insecure-api-key.invalid'];
    await expect(RealtimeClient.open(simulator.url, 'sim-fast', {}, invalid)).rejects.toThrow(/^401/);
  });
});
