import { GatewayError, type GenerateEvent, type GenerateRequest, noUsage } from '@model-gateway/canonical';
import type { RealtimeErrorObject, RealtimeResponseObject, RealtimeSessionObject } from '@model-gateway/wire';
import { describe, expect, test, vi } from 'vitest';
import { Emulation, type EmulationOptions } from './emulation.ts';
import type { Models, SpeechQuery, TranscriptQuery } from './models.ts';

/** An event, with whatever it may hold. */
interface Event {
  type: string;
  event_id: string;
  session: RealtimeSessionObject;
  response: RealtimeResponseObject;
  error: RealtimeErrorObject;
  item: { id: string; status: string; content: unknown[] };
  item_id: string;
  previous_item_id: string | null;
  output_index: number;
  delta: string;
  part: unknown;
}
type Say = (events: GenerateEvent[]) => void;
/** What a model does when it is asked: says events, and ends. */
type Script = (say: Say, request: GenerateRequest, signal: AbortSignal) => void | Promise<void>;

const usage = { ...noUsage, input: 7, cachedInput: 2, output: 3 };
const finish = (reason: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'refusal' = 'stop') =>
  ({ type: 'finish', reason, raw: null, usage }) as const;
const text = (said: string, index = 0): GenerateEvent[] => [
  { type: 'part-start', index, part: { type: 'text' } },
  ...(said.match(/\S+\s*/g) ?? []).map(word => ({ type: 'part-delta', index, text: word }) as const),
  { type: 'part-end', index },
];
const start: GenerateEvent = { type: 'start', id: 'x', model: 'm' };
const says =
  (...events: GenerateEvent[]): Script =>
  say =>
    say([start, ...events]);
const saysText = (said: string) => says(...text(said), finish());
const never: Script = (_say, _request, signal) =>
  new Promise(resolve => signal.addEventListener('abort', () => resolve()));

/** A session whose model does what the scripts say, one a response. */
function open(
  scripts: Script[] = [],
  options: Partial<EmulationOptions> & { helpers?: Partial<Models> } = {},
) {
  const events: Event[] = [];
  const requests: GenerateRequest[] = [];
  const signals: AbortSignal[] = [];
  let ids = 0;
  const models: Models = {
    generate(request, signal, onEvents) {
      requests.push(request);
      signals.push(signal);
      const script = scripts.shift() ?? saysText('Nothing more.');
      return {
        done: (async () => script(onEvents, request, signal))(),
        usage: () => ({ ...usage, output: 1 }),
      };
    },
    ...options.helpers,
  };
  const emulation = new Emulation({
    model: 'talker',
    expiresAt: 1_800_000_000,
    transcription: undefined,
    speech: false,
    voice: undefined,
    context: undefined,
    models,
    newId: prefix => `${prefix}_${++ids}`,
    emit: event => events.push(event as unknown as Event),
    ...options,
  });
  emulation.begin();
  const send = (event: object | string) =>
    emulation.receive(Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)));
  const types = () => events.map(({ type }) => type);
  const of = (type: string) => events.filter(event => event.type === type);
  const first = (type: string) => of(type)[0] as Event;
  return {
    emulation,
    events,
    requests,
    signals,
    send,
    types,
    of,
    first,
    say: (words: string, fields = {}) =>
      send({
        type: 'conversation.item.create',
        item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] },
        ...fields,
      }),
    /** Waits for the end of so many responses. */
    done: (count = 1) => vi.waitFor(() => expect(of('response.done')).toHaveLength(count)),
    update: (session: object) => send({ type: 'session.update', session: { type: 'realtime', ...session } }),
    error: () => of('error').at(-1)?.error,
  };
}

describe('a session', () => {
  test('is told first, with an id for each event', () => {
    const { events } = open();
    expect(events).toMatchObject([
      {
        type: 'session.created',
        event_id: expect.stringMatching(/^event_/),
        session: {
          object: 'realtime.session',
          type: 'realtime',
          model: 'talker',
          output_modalities: ['text'],
          audio: { input: { turn_detection: null } },
        },
      },
    ]);
  });

  test('changes only what is said, and clears what is empty', () => {
    const { update, of } = open();
    const tool = { type: 'function', name: 'weather', parameters: { type: 'object' } };
    update({
      instructions: 'Be brief.',
      tools: [tool],
      max_output_tokens: 50,
      tracing: 'auto',
      model: 'talker',
    });
    update({ tools: [] });
    update({ instructions: '', max_output_tokens: 'inf' });
    const sessions = of('session.updated').map(({ session }) => session);
    expect(sessions[0]).toMatchObject({ instructions: 'Be brief.', tools: [tool], tracing: 'auto' });
    expect(sessions[1]).toMatchObject({ instructions: 'Be brief.', tools: [], max_output_tokens: 50 });
    expect(sessions[2]).toMatchObject({ instructions: '', max_output_tokens: 'inf', model: 'talker' });
  });

  test('of a model that reads and writes stays with text, whatever is asked', () => {
    const { update, first } = open();
    update({
      output_modalities: ['audio'],
      audio: { input: { transcription: { model: 'unknown-1' }, turn_detection: { type: 'semantic_vad' } } },
    });
    expect(first('session.updated').session).toMatchObject({
      output_modalities: ['text'],
      audio: { input: { transcription: null, turn_detection: null } },
    });
  });

  test('begins as it was prepared', () => {
    const { first } = open([], {
      prepared: { instructions: 'Sing.', audio: { output: { voice: 'ash' } } },
    });
    expect(first('session.created').session).toMatchObject({
      instructions: 'Sing.',
      audio: { output: { voice: 'ash' } },
    });
    expect(() => open([], { prepared: { speed: 2 } })).toThrow("Unknown parameter: 'session.speed'.");
  });

  test.each<[object | string, string, string | null]>([
    ['{"type": ', 'invalid_json', null],
    ['[1]', 'invalid_json', null],
    [{ type: 'session.create' }, 'invalid_value', 'type'],
    [{ type: { of: 'an object' } }, 'invalid_value', 'type'],
    [{}, 'missing_required_parameter', 'type'],
    [{ type: 'session.update' }, 'missing_required_parameter', 'session'],
    [{ type: 'session.update', session: {} }, 'missing_required_parameter', 'session.type'],
    [{ type: 'session.update', session: { type: 'transcription' } }, 'invalid_value', 'session.type'],
    [
      { type: 'session.update', session: { type: 'realtime', temperature: 1 } },
      'unknown_parameter',
      'session.temperature',
    ],
    [
      { type: 'session.update', session: { type: 'realtime', model: 'other' } },
      'invalid_value',
      'session.model',
    ],
    [
      { type: 'session.update', session: { type: 'realtime', tools: [{ type: 'mcp', server_label: 'x' }] } },
      'invalid_value',
      'session.tools[0].type',
    ],
    [
      { type: 'session.update', session: { type: 'realtime', output_modalities: ['text', 'audio'] } },
      'invalid_value',
      'session.output_modalities',
    ],
    [
      { type: 'session.update', session: { type: 'realtime', audio: { output: { speed: 4 } } } },
      'invalid_value',
      'session.audio.output.speed',
    ],
    [
      { type: 'conversation.item.create', item: { type: 'message' } },
      'missing_required_parameter',
      'item.role',
    ],
    [
      {
        type: 'conversation.item.create',
        item: { type: 'message', role: 'user', content: [{ type: 'input_text' }] },
      },
      'missing_required_parameter',
      'item.content[0].text',
    ],
    [{ type: 'conversation.item.create', item: { type: 'mcp_call' } }, 'invalid_value', 'item.type'],
    [
      { type: 'conversation.item.create', item: { type: 'function_call_output', call_id: 'c', output: '' } },
      'item_not_found',
      'item.call_id',
    ],
    [{ type: 'conversation.item.retrieve', item_id: 'nope' }, 'item_not_found', 'item_id'],
    [{ type: 'conversation.item.delete', item_id: 'nope' }, 'item_not_found', 'item_id'],
    [{ type: 'input_audio_buffer.append', audio: 'AAAA' }, 'invalid_value', 'audio'],
    [{ type: 'input_audio_buffer.commit' }, 'input_audio_buffer_commit_empty', null],
    [
      { type: 'input_audio_buffer.append', audio: 'A'.repeat(15 * 1024 * 1024 + 1) },
      'string_above_max_length',
      'audio',
    ],
    [{ type: 'response.cancel' }, 'response_cancel_not_active', null],
    [
      { type: 'response.create', response: { input: [{ type: 'item_reference', id: 'nope' }] } },
      'item_not_found',
      'response.input[0].id',
    ],
    [
      { type: 'response.create', response: { max_output_tokens: 0 } },
      'invalid_value',
      'response.max_output_tokens',
    ],
  ])('tells what is wrong with %.90j, and goes on', async (event, code, param) => {
    const session = open([saysText('Still here.')]);
    session.send(typeof event === 'string' ? event : { ...event, event_id: 'mine' });
    expect(session.error()).toMatchObject({
      type: 'invalid_request_error',
      code,
      param,
      event_id: typeof event === 'string' ? null : 'mine',
      message: expect.not.stringMatching(/discriminator|input:/),
    });
    session.send({ type: 'response.create' });
    await session.done();
    expect(session.first('response.done').response.status).toBe('completed');
  });

  test('tells back little of what a client sent, however much that was', () => {
    const { send, update, of } = open();
    const huge = 'x'.repeat(100_000);
    send({ type: huge });
    send({ type: 'conversation.item.retrieve', item_id: huge });
    update({ [huge]: 1 });
    update({ instructions: huge.repeat(11) });
    update({ instructions: huge });
    send({ type: 'response.create', response: { instructions: huge.repeat(11) } });
    expect(of('error').map(({ error }) => error.code)).toEqual([
      'invalid_value',
      'item_not_found',
      'unknown_parameter',
      'settings_too_large',
      'settings_too_large',
    ]);
    expect(of('error').every(event => JSON.stringify(event).length < 1_000)).toBe(true);
    expect(of('session.updated')).toHaveLength(1);
  });
});

describe('a conversation', () => {
  test('has items in the order that clients want, under their own ids', () => {
    const { say, of, send, error } = open();
    const item = (id: string) => ({
      item: { id, type: 'message', role: 'user', content: [{ type: 'input_text', text: id }] },
    });
    say('', item('a'));
    say('', item('c'));
    say('', { ...item('b'), previous_item_id: 'a' });
    say('', { ...item('first'), previous_item_id: 'root' });
    expect(of('conversation.item.added').map(event => event.previous_item_id)).toEqual([
      null,
      'a',
      'a',
      null,
    ]);
    expect(of('conversation.item.done')).toHaveLength(4);
    say('', item('a'));
    expect(error()).toMatchObject({ param: 'item.id' });
    say('', { ...item('z'), previous_item_id: 'nope' });
    expect(error()).toMatchObject({ param: 'previous_item_id', code: 'item_not_found' });
    send({ type: 'conversation.item.delete', item_id: 'b' });
    expect(of('conversation.item.deleted')).toMatchObject([{ item_id: 'b' }]);
    send({ type: 'conversation.item.retrieve', item_id: 'c' });
    expect(of('conversation.item.retrieved')).toMatchObject([{ item: { content: [{ text: 'c' }] } }]);
  });

  test('is what the model reads, calls beside their outputs', async () => {
    const { send, say, requests, done, update } = open();
    update({ instructions: 'Be brief.', tools: [{ type: 'function', name: 'f' }] });
    const item = (fields: object) => send({ type: 'conversation.item.create', item: fields });
    say('One?');
    item({ type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' });
    item({ type: 'function_call', call_id: 'c2', name: 'f', arguments: '{}' });
    say('Two?');
    item({ type: 'function_call_output', call_id: 'c1', output: 'out' });
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Well.' }] });
    item({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }],
    });
    send({ type: 'response.create', response: { max_output_tokens: 9, tool_choice: 'required' } });
    await done();
    expect(requests).toEqual([
      {
        tools: [{ type: 'function', name: 'f' }],
        toolChoice: { type: 'required' },
        maxTokens: 9,
        messages: [
          { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
          { role: 'user', content: [{ type: 'text', text: 'One?' }] },
          {
            role: 'assistant',
            content: [
              { type: 'tool-call', id: 'c1', name: 'f', arguments: '{"a":1}' },
              { type: 'tool-call', id: 'c2', name: 'f', arguments: '{}' },
            ],
          },
          {
            role: 'tool',
            content: [
              { type: 'tool-result', callId: 'c1', content: [{ type: 'text', text: 'out' }] },
              {
                type: 'tool-result',
                callId: 'c2',
                content: [{ type: 'text', text: '(The result is not there yet.)' }],
              },
            ],
          },
          { role: 'user', content: [{ type: 'text', text: 'Two?' }] },
          { role: 'assistant', content: [{ type: 'text', text: 'Well.' }] },
          {
            role: 'user',
            content: [
              {
                type: 'media',
                kind: 'image',
                source: { type: 'base64', data: 'AAAA' },
                mediaType: 'image/png',
              },
            ],
          },
        ],
      },
    ]);
  });

  test('is cut at its beginning where the model reads no more, unless that is not wanted', async () => {
    const { say, send, requests, done, update } = open([], { context: 200 });
    for (const word of ['old', 'newer', 'newest']) say(`${word} ${'x'.repeat(200)}`);
    send({ type: 'response.create', response: { max_output_tokens: 80 } });
    await done();
    update({ truncation: 'disabled' });
    send({ type: 'response.create' });
    await done(2);
    // The answer before is followed by a user who says nothing.
    expect(requests.map(({ messages }) => messages.length)).toEqual([2, 5]);
    expect(JSON.stringify(requests[0])).not.toContain('old');
  });

  test('begins and ends with the user for the model, who may be asked for more all the same', async () => {
    const { send, say, requests, done, update } = open([saysText('Welcome.')]);
    const nothing = { role: 'user', content: [{ type: 'text', text: '.' }] };
    const welcome = { role: 'assistant', content: [{ type: 'text', text: 'Welcome.' }] };
    update({ instructions: 'Greet.' });
    send({ type: 'response.create' });
    await done();
    send({ type: 'response.create' });
    await done(2);
    say('Hi');
    send({ type: 'response.create', response: { conversation: 'none', input: [], instructions: '' } });
    await done(3);
    const system = { role: 'system', content: [{ type: 'text', text: 'Greet.' }] };
    expect(requests.map(({ messages }) => messages)).toEqual([
      [system, nothing],
      [system, nothing, welcome, nothing],
      [nothing],
    ]);
  });
});

describe('a response', () => {
  test('of text comes in the order of the protocol', async () => {
    const { say, send, types, done, of, first, events } = open([saysText('Hello there.')]);
    say('Hi');
    send({ type: 'response.create', response: { metadata: { a: 'b' } } });
    await done();
    expect(types().slice(3)).toEqual([
      'response.created',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
    ]);
    const created = first('response.created').response;
    expect(created).toMatchObject({ status: 'in_progress', status_details: null, output: [], usage: null });
    const item = {
      id: expect.any(String),
      object: 'realtime.item',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hello there.' }],
    };
    expect(of('response.output_item.added')[0]).toMatchObject({
      response_id: created.id,
      output_index: 0,
      item: { status: 'in_progress', content: [] },
    });
    expect(first('response.content_part.added').part).toEqual({ type: 'text', text: '' });
    expect(of('conversation.item.added')[1]?.previous_item_id).toBe(first('conversation.item.added').item.id);
    expect(first('response.output_item.done').item).toEqual(item);
    expect(first('response.done').response).toEqual({
      ...created,
      status: 'completed',
      output: [item],
      metadata: { a: 'b' },
      usage: {
        total_tokens: 10,
        input_tokens: 7,
        output_tokens: 3,
        input_token_details: {
          text_tokens: 7,
          audio_tokens: 0,
          image_tokens: 0,
          cached_tokens: 2,
          cached_tokens_details: { text_tokens: 2, audio_tokens: 0, image_tokens: 0 },
        },
        output_token_details: { text_tokens: 3, audio_tokens: 0 },
      },
    });
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
  });

  test('hides thoughts, and gives them back to the model with what followed them', async () => {
    const signature = { format: 'messages', value: 'sig' } as const;
    const { say, send, done, of, first, requests } = open([
      says(
        { type: 'part-start', index: 0, part: { type: 'reasoning' } },
        { type: 'part-delta', index: 0, text: 'Hmm.' },
        { type: 'part-end', index: 0, signature },
        ...text('Yes.', 1),
        { type: 'part-start', index: 2, part: { type: 'tool-call', id: 'c', name: 'f' } },
        finish(),
      ),
    ]);
    send({ type: 'response.create' });
    await done();
    expect(first('response.done').response.output).toHaveLength(2);
    expect(JSON.stringify(of('response.done'))).not.toContain('Hmm');
    say('Sure?');
    send({ type: 'response.create' });
    await done(2);
    expect(requests[1]?.messages[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hmm.', signature },
        { type: 'text', text: 'Yes.' },
        { type: 'tool-call', id: 'c', name: 'f', arguments: '{}' },
      ],
    });
  });

  test('calls functions side by side, and goes on with what they gave', async () => {
    const call = (index: number, id: string): GenerateEvent => ({
      type: 'part-start',
      index,
      part: { type: 'tool-call', id, name: 'weather' },
    });
    const { send, done, of, types, requests } = open([
      says(
        ...text('Let me see.'),
        call(1, 'c1'),
        call(2, 'c2'),
        { type: 'part-delta', index: 1, text: '{"city":' },
        { type: 'part-delta', index: 2, text: '' },
        { type: 'part-delta', index: 1, text: '"Oslo"}' },
        { type: 'part-end', index: 1 },
        { type: 'part-end', index: 2 },
        finish('tool-calls'),
      ),
      saysText('Cold.'),
    ]);
    send({ type: 'response.create' });
    await done();
    const items = of('response.output_item.done').map(({ output_index, item }) => [output_index, item]);
    expect(items).toMatchObject([
      [0, { type: 'message', status: 'completed' }],
      [
        1,
        {
          type: 'function_call',
          call_id: 'c1',
          name: 'weather',
          arguments: '{"city":"Oslo"}',
          status: 'completed',
        },
      ],
      [2, { type: 'function_call', call_id: 'c2', arguments: '{}', status: 'completed' }],
    ]);
    expect(of('response.function_call_arguments.done')).toMatchObject([
      { call_id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}', output_index: 1 },
      { call_id: 'c2', output_index: 2 },
    ]);
    expect(types().indexOf('response.function_call_arguments.done')).toBeLessThan(
      types().indexOf('response.done'),
    );
    for (const call_id of ['c1', 'c2'])
      send({
        type: 'conversation.item.create',
        item: { type: 'function_call_output', call_id, output: '1' },
      });
    send({ type: 'response.create' });
    await done(2);
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  test.each([
    ['length', 'max_output_tokens'],
    ['content-filter', 'content_filter'],
    ['refusal', 'content_filter'],
  ] as const)('that ends by %s is incomplete', async (reason, told) => {
    const { send, done, first } = open([says(...text('Cut o'), finish(reason))]);
    send({ type: 'response.create' });
    await done();
    expect(first('response.done').response).toMatchObject({
      status: 'incomplete',
      status_details: { type: 'incomplete', reason: told },
      output: [{ status: 'incomplete', content: [{ text: 'Cut o' }] }],
    });
  });

  test('that is a refusal says so in its words', async () => {
    const { send, done, first } = open([
      says(
        { type: 'part-start', index: 0, part: { type: 'refusal' } },
        { type: 'part-delta', index: 0, text: 'No.' },
        { type: 'part-end', index: 0 },
        finish(),
      ),
    ]);
    send({ type: 'response.create' });
    await done();
    expect(first('response.done').response).toMatchObject({
      status_details: { reason: 'content_filter' },
      output: [{ content: [{ text: 'No.' }] }],
    });
  });

  test('that fails says why, and the session goes on', async () => {
    const { send, done, of, first } = open([
      say => {
        say([start, ...text('I was')]);
        throw new GatewayError('rate-limited', 'Too many requests.');
      },
    ]);
    send({ type: 'response.create' });
    await done();
    expect(first('response.done').response).toMatchObject({
      status: 'failed',
      status_details: {
        type: 'failed',
        error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Too many requests.' },
      },
      output: [{ status: 'incomplete' }],
    });
    send({ type: 'response.create' });
    await done(2);
    expect(of('response.done')[1]?.response.status).toBe('completed');
  });

  test('is cancelled at once, and the next may begin', async () => {
    const { send, of, first, signals, requests, done, error } = open([
      (say, _request, signal) => {
        say([
          start,
          ...text('Once upon'),
          { type: 'part-start', index: 1, part: { type: 'tool-call', id: 'c', name: 'f' } },
          { type: 'part-delta', index: 1, text: '{"a' },
        ]);
        return never(say, {} as GenerateRequest, signal);
      },
    ]);
    send({ type: 'response.create' });
    await vi.waitFor(() => expect(of('response.function_call_arguments.delta')).toHaveLength(1));
    send({ type: 'response.create', event_id: 'second' });
    expect(error()).toMatchObject({
      code: 'conversation_already_has_active_response',
      event_id: 'second',
    });
    send({ type: 'response.cancel', response_id: 'other' });
    expect(error()).toMatchObject({ code: 'response_cancel_not_active' });
    send({ type: 'response.cancel', response_id: first('response.created').response.id });
    expect(signals[0]?.aborted).toBe(true);
    expect(first('response.done').response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'client_cancelled' },
      output: [{ status: 'completed' }, { type: 'function_call', status: 'incomplete' }],
      usage: { output_tokens: 1 },
    });
    expect(of('response.function_call_arguments.done')).toEqual([]);
    send({ type: 'response.create' });
    await done(2);
    expect(of('response.done')[1]?.response.status).toBe('completed');
    // A call that was not written to its end never was.
    expect(requests[1]?.messages).toContainEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'Once upon' }],
    });
    expect(JSON.stringify(requests[1])).not.toContain('tool-call');
  });

  test('outside of the conversation runs beside it, on what it is given', async () => {
    const { send, say, of, first, done, requests } = open([never, saysText('Weather.')]);
    say('What is the weather?');
    const id = first('conversation.item.added').item.id;
    send({ type: 'response.create' });
    await vi.waitFor(() => expect(requests).toHaveLength(1));
    const input = [
      { type: 'item_reference', id },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'One word.' }] },
    ];
    send({
      type: 'response.create',
      response: { conversation: 'none', input, instructions: 'Classify.', output_modalities: ['text'] },
    });
    await done();
    expect(first('response.done').response).toMatchObject({ conversation_id: null, status: 'completed' });
    expect(of('conversation.item.added')).toHaveLength(1);
    expect(requests[1]?.messages).toHaveLength(3);
    for (let i = 0; i < 8; i++) send({ type: 'response.create', response: { conversation: 'none' } });
    expect(of('error')).toMatchObject([{ error: { code: 'too_many_responses' } }]);
  });

  test('beside the conversation may be cancelled, and who has spoken is answered all the same', async () => {
    const turn = Promise.withResolvers<void>();
    const { append, update, send, of, done, requests } = openAudio([
      async say => {
        await turn.promise;
        say([start, ...text('Done.'), finish()]);
      },
      never,
    ]);
    const turn_detection = { type: 'server_vad', interrupt_response: false };
    update({ output_modalities: ['text'], audio: { input: { turn_detection } } });
    send({ type: 'response.create' });
    send({ type: 'response.create', response: { conversation: 'none' } });
    await vi.waitFor(() => expect(requests).toHaveLength(2));
    append(sound(200));
    append(sound(700, false));
    send({ type: 'response.cancel', response_id: of('response.created')[1]?.response.id });
    await done();
    turn.resolve();
    await done(3);
    expect(of('response.done').map(({ response }) => response.status)).toEqual([
      'cancelled',
      'completed',
      'completed',
    ]);
  });

  test('stops when the client has left', async () => {
    const { emulation, send, signals } = open([never]);
    send({ type: 'response.create' });
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    emulation.end();
    expect(signals[0]?.aborted).toBe(true);
  });
});

/** So many milliseconds of a tone, or of silence, at 24 kHz. */
function sound(ms: number, loud = true): string {
  const bytes = Buffer.alloc(ms * 48);
  if (loud) for (let i = 0; i < ms * 24; i++) bytes.writeInt16LE(Math.round(8_000 * Math.sin(i / 8)), 2 * i);
  return bytes.toString('base64');
}

/** A session that hears and speaks: each character lasts a millisecond. */
function openAudio(scripts: Script[] = [], helpers: Partial<Models> = {}) {
  const heard: { bytes: number; asked: TranscriptQuery }[] = [];
  const spoken: SpeechQuery[] = [];
  const session = open(scripts, {
    transcription: 'ears',
    speech: true,
    helpers: {
      async transcribe(wav, asked) {
        heard.push({ bytes: wav.length, asked });
        return { text: 'What is up?', usage: null };
      },
      async speak(asked, _signal, onAudio) {
        spoken.push(asked);
        const audio = Buffer.alloc(asked.text.length * 48);
        // Cut in the middle of a sample.
        onAudio(audio.subarray(0, 49));
        onAudio(audio.subarray(49));
      },
      ...helpers,
    },
  });
  const append = (audio: string) => session.send({ type: 'input_audio_buffer.append', audio });
  return { ...session, heard, spoken, append };
}

describe('audio', () => {
  test('is committed by hand, written down and answered in speech', async () => {
    const { update, append, send, types, of, first, done, heard, spoken, requests } = openAudio([
      saysText('All is well here. And how are you?'),
    ]);
    update({
      audio: {
        input: { turn_detection: null, transcription: { model: 'whisper-1', language: 'en' } },
        output: { voice: 'ash', speed: 1.5 },
      },
    });
    expect(first('session.updated').session.audio.input.transcription).toEqual({
      model: 'ears',
      language: 'en',
    });
    append(sound(60));
    send({ type: 'input_audio_buffer.commit' });
    append(sound(60));
    send({ type: 'input_audio_buffer.commit' });
    send({ type: 'response.create' });
    await done();
    expect(of('error')).toMatchObject([{ error: { code: 'input_audio_buffer_commit_empty' } }]);
    expect(heard).toEqual([{ bytes: 44 + 120 * 48, asked: { model: 'ears', language: 'en' } }]);
    expect(requests[0]?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'What is up?' }] },
    ]);
    expect(spoken).toEqual([
      { text: 'All is well here. ', voice: 'ash', speed: 1.5 },
      { text: 'And how are you?', voice: 'ash', speed: 1.5 },
    ]);
    expect(of('conversation.item.input_audio_transcription.completed')).toMatchObject([
      { content_index: 0, transcript: 'What is up?', usage: { type: 'duration', seconds: 0.12 } },
    ]);
    expect(types().slice(3)).toEqual([
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'response.created',
      'conversation.item.input_audio_transcription.completed',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      ...Array(8).fill('response.output_audio_transcript.delta'),
      ...Array(4).fill('response.output_audio.delta'),
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
    ]);
    const bytes = of('response.output_audio.delta').map(({ delta }) => Buffer.from(delta, 'base64').length);
    expect(bytes.reduce((sum, each) => sum + each)).toBe(34 * 48);
    expect(first('response.output_item.done').item.content).toEqual([
      { type: 'output_audio', transcript: 'All is well here. And how are you?' },
    ]);
    update({ audio: { output: { voice: 'verse' } } });
    expect(of('error')[1]?.error).toMatchObject({
      code: 'cannot_update_voice',
      param: 'session.audio.output.voice',
    });
    send({ type: 'conversation.item.retrieve', item_id: first('input_audio_buffer.committed').item_id });
    expect(first('conversation.item.retrieved').item.content).toEqual([
      { type: 'input_audio', transcript: 'What is up?', audio: sound(60) + sound(60) },
    ]);
  });

  test('is heard to begin and to end, and answered by itself', async () => {
    const { update, append, of, first, done, heard, types } = openAudio([saysText('Yes.')]);
    update({ output_modalities: ['text'] });
    for (let i = 0; i < 50; i++) append(sound(20, false));
    for (let i = 0; i < 25; i++) append(sound(20));
    for (let i = 0; i < 30; i++) append(sound(20, false));
    await done();
    expect(of('input_audio_buffer.speech_started')).toMatchObject([{ audio_start_ms: 700 }]);
    expect(of('input_audio_buffer.speech_stopped')).toMatchObject([{ audio_end_ms: 2_000 }]);
    expect(heard).toMatchObject([{ bytes: 44 + 1_300 * 48 }]);
    expect(types().slice(2, 7)).toEqual([
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
    ]);
    const { item_id } = first('input_audio_buffer.committed');
    expect(first('input_audio_buffer.speech_started').item_id).toBe(item_id);
    expect(first('response.done').response).toMatchObject({
      status: 'completed',
      output_modalities: ['text'],
    });
  });

  test('that is silence is forgotten', () => {
    const { append, send, first } = openAudio();
    for (let i = 0; i < 300; i++) append(sound(100, false));
    send({ type: 'input_audio_buffer.commit' });
    send({ type: 'conversation.item.retrieve', item_id: first('input_audio_buffer.committed').item_id });
    const [part] = first('conversation.item.retrieved').item.content as { audio: string }[];
    expect(Buffer.from(part?.audio ?? '', 'base64').length).toBeLessThan(2_000 * 48);
  });

  test('that holds many turns keeps of each its own', () => {
    const { append, of, first, send, update } = openAudio();
    const turn_detection = { type: 'server_vad', create_response: false, interrupt_response: true };
    update({ audio: { input: { turn_detection } } });
    const turn = [sound(200), sound(700, false)].map(base64 => Buffer.from(base64, 'base64'));
    const before = process.memoryUsage().arrayBuffers;
    append(Buffer.concat(Array.from({ length: 100 }, () => turn).flat()).toString('base64'));
    expect(of('input_audio_buffer.committed')).toHaveLength(100);
    // A view of what was sent at once would keep all of its 4 MB for each turn.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(150 * 1024 * 1024);
    send({ type: 'conversation.item.retrieve', item_id: of('input_audio_buffer.committed')[99]?.item_id });
    const [part] = first('conversation.item.retrieved').item.content as { audio: string }[];
    const audio = Buffer.from(part?.audio ?? '', 'base64');
    expect(audio.length).toBe(900 * 48);
    expect(audio.indexOf(turn[0] as Buffer)).toBe(200 * 48);
  });

  test('is one turn, though its settings change in the midst of it', () => {
    const { append, update, types } = openAudio([never]);
    append(sound(300));
    update({ audio: { input: { turn_detection: { type: 'server_vad', silence_duration_ms: 200 } } } });
    append(sound(300, false));
    expect(types().filter(type => type.startsWith('input_audio_buffer'))).toEqual([
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
    ]);
  });

  test('is written down a few recordings at a time, in their order', async () => {
    const waiting: (() => void)[] = [];
    let asked = 0;
    const { append, update, send, of } = openAudio([], {
      async transcribe() {
        const text = `Turn ${++asked}`;
        await new Promise<void>(resolve => waiting.push(resolve));
        return { text, usage: null };
      },
    });
    update({ audio: { input: { turn_detection: null, transcription: {} } } });
    for (let i = 0; i < 9; i++) {
      append(sound(100));
      send({ type: 'input_audio_buffer.commit' });
    }
    expect(asked).toBe(4);
    const completed = () => of('conversation.item.input_audio_transcription.completed');
    for (let i = 0; i < 9; i++) {
      waiting[i]?.();
      await vi.waitFor(() => expect(completed()).toHaveLength(i + 1));
    }
    const told = completed().map(event => (event as Event & { transcript: string }).transcript);
    expect(told).toEqual(Array.from({ length: 9 }, (_, i) => `Turn ${i + 1}`));
    expect(completed().map(({ item_id }) => item_id)).toEqual(
      of('input_audio_buffer.committed').map(({ item_id }) => item_id),
    );
  });

  test('of sentences is put together whole, also where one ends with half a sample', async () => {
    const { say, send, of, first, done, requests } = openAudio([saysText('One two three. Four five six.')], {
      async speak(_asked, _signal, onAudio) {
        onAudio(Buffer.from([1]));
        onAudio(Buffer.from([2]));
        onAudio(Buffer.alloc(959, Buffer.from([1, 2])));
      },
    });
    say('Count.');
    send({ type: 'response.create' });
    await done();
    const audio = Buffer.concat(
      of('response.output_audio.delta').map(({ delta }) => Buffer.from(delta, 'base64')),
    );
    expect(audio.equals(Buffer.alloc(audio.length, Buffer.from([1, 2])))).toBe(true);
    const { item_id } = first('response.output_audio.delta');
    const audio_end_ms = Math.floor(audio.length / 48 / 2);
    send({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms });
    send({ type: 'response.create' });
    await done(2);
    expect(JSON.stringify(requests[1])).toMatch(/"One two (three\.)?"/);
  });

  test('that never ends is committed all the same', () => {
    const { append, of } = openAudio([never]);
    const minute = sound(60_000);
    for (let i = 0; i < 7; i++) append(minute);
    expect(of('error')).toEqual([]);
    expect(of('input_audio_buffer.committed')).toHaveLength(1);
    expect(of('input_audio_buffer.speech_started')).toHaveLength(2);
  });

  test('does not interrupt where that is not wanted, and is answered after', async () => {
    let end = () => {};
    const waiting = new Promise<void>(resolve => {
      end = resolve;
    });
    const { append, update, of, send, done, requests } = openAudio([
      async say => {
        await waiting;
        say([start, ...text('Done.'), finish()]);
      },
    ]);
    update({
      output_modalities: ['text'],
      audio: { input: { turn_detection: { type: 'server_vad', interrupt_response: false } } },
    });
    send({ type: 'response.create' });
    append(sound(200));
    append(sound(700, false));
    expect(of('input_audio_buffer.committed')).toHaveLength(1);
    expect(of('response.created')).toHaveLength(1);
    end();
    await done(2);
    expect(of('response.done').map(({ response }) => response.status)).toEqual(['completed', 'completed']);
    expect(requests[1]?.messages[0]).toMatchObject({ role: 'user' });
    send({ type: 'response.create' });
    await done(3);
    expect(of('response.created')).toHaveLength(3);
  });

  test('interrupts an answer, which is then cut to what was heard', async () => {
    let more = () => {};
    const waiting = new Promise<void>(resolve => {
      more = resolve;
    });
    const { append, of, first, send, say, done, requests } = openAudio(
      [saysText('One two three. Four five six.')],
      {
        async speak(asked, _signal, onAudio) {
          onAudio(Buffer.alloc(asked.text.length * 48));
          if (asked.text.startsWith('Four')) await waiting;
        },
      },
    );
    say('Count.');
    send({ type: 'response.create' });
    await vi.waitFor(() => expect(of('response.output_audio.delta')).toHaveLength(2));
    append(sound(100));
    expect(first('response.done').response).toMatchObject({
      status_details: { type: 'cancelled', reason: 'turn_detected' },
      output: [{ status: 'incomplete' }],
    });
    more();
    const { item_id } = first('response.output_audio.delta');
    const truncate = { type: 'conversation.item.truncate', item_id, content_index: 0 };
    send({ ...truncate, audio_end_ms: 99 });
    expect(first('error').error).toMatchObject({ param: 'audio_end_ms' });
    send({ ...truncate, audio_end_ms: 23 });
    expect(of('conversation.item.truncated')).toMatchObject([{ item_id, audio_end_ms: 23 }]);
    send({ type: 'conversation.item.retrieve', item_id });
    expect(first('conversation.item.retrieved').item.content).toEqual([{ type: 'output_audio' }]);
    append(sound(600, false));
    await done(2);
    expect(requests[1]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'One two three. Four' }] },
      { role: 'user', content: [{ type: 'text', text: 'What is up?' }] },
    ]);
  });

  test('that cannot be written down is told, and heard as nothing', async () => {
    const { update, append, send, of, done, requests } = openAudio([], {
      async transcribe() {
        throw new GatewayError('timeout', 'Too slow.');
      },
    });
    update({ output_modalities: ['text'], audio: { input: { turn_detection: null } } });
    append(sound(200));
    send({ type: 'input_audio_buffer.commit' });
    send({ type: 'response.create' });
    await done();
    expect(of('conversation.item.input_audio_transcription.failed')).toMatchObject([
      { content_index: 0, error: { code: 'timeout', message: 'Too slow.' } },
    ]);
    expect(requests[0]?.messages[0]?.content).toEqual([{ type: 'text', text: '(inaudible)' }]);
  });

  test('that cannot be spoken fails the response, and its model is asked no further', async () => {
    const { send, first, done, signals } = openAudio(
      [
        async (say, request, signal) => {
          say([start, ...text('A whole sentence. And')]);
          await never(say, request, signal);
        },
      ],
      {
        async speak() {
          throw new GatewayError('upstream', 'No voice.');
        },
      },
    );
    send({ type: 'response.create' });
    await done();
    expect(signals[0]?.aborted).toBe(true);
    expect(first('response.done').response).toMatchObject({
      status: 'failed',
      status_details: { error: { message: 'No voice.' } },
    });
  });

  test('of a telephone is 8 kHz, both ways', async () => {
    const { update, append, send, of, first, done, heard, spoken } = openAudio([saysText('Hello.')]);
    const format = { type: 'audio/pcmu' };
    update({ audio: { input: { format, turn_detection: null }, output: { format } } });
    append(Buffer.alloc(800, 0xff).toString('base64'));
    update({ audio: { input: { format: { type: 'audio/pcm', rate: 24_000 } } } });
    expect(first('error').error).toMatchObject({ param: 'session.audio.input.format' });
    send({ type: 'input_audio_buffer.commit' });
    send({ type: 'response.create' });
    await done();
    expect(heard).toMatchObject([{ bytes: 44 + 1_600 }]);
    expect(spoken).toHaveLength(1);
    const deltas = of('response.output_audio.delta').map(({ delta }) => Buffer.from(delta, 'base64'));
    expect(Buffer.concat(deltas)).toEqual(Buffer.alloc(6 * 8, 0xff));
  });

  test('waits in a buffer that has an end', () => {
    const { append, update, error, send, of, first } = openAudio();
    update({ audio: { input: { turn_detection: null } } });
    const large = Buffer.alloc(11 * 1024 * 1024).toString('base64');
    append(large);
    append(large);
    expect(error()).toMatchObject({ code: 'input_audio_buffer_full' });
    send({ type: 'input_audio_buffer.clear' });
    expect(of('input_audio_buffer.cleared')).toHaveLength(1);
    append(large);
    append('no base64!');
    expect(error()).toMatchObject({ code: 'invalid_value', param: 'audio' });
    send({ type: 'input_audio_buffer.clear' });
    // Whatever the pieces, nothing of them is lost.
    for (let i = 0; i < 5_000; i++) append(Buffer.from([i, i >> 8]).toString('base64'));
    append('');
    send({ type: 'input_audio_buffer.commit' });
    send({ type: 'conversation.item.retrieve', item_id: of('input_audio_buffer.committed')[0]?.item_id });
    const [part] = first('conversation.item.retrieved').item.content as { audio: string }[];
    const audio = Buffer.from(part?.audio ?? '', 'base64');
    expect(audio.length).toBe(10_000);
    expect(audio.readInt16LE(9_998)).toBe(4_999);
  });
});
