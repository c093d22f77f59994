import type { GenerateEvent } from '@model-gateway/canonical';
import { folded } from '@model-gateway/canonical/testing/events';
import { EventReader } from '@model-gateway/sse';
import { readFrames, readMessage } from '@model-gateway/wire/testing/message-reader';
import { describe, expect, test } from 'vitest';
import { parse as parseChat } from '../../services/ingress-chat/src/chat/parse.ts';
import { context, decoderOf, encoded, parsedAs, renderers } from '../round-trip/hops.ts';

/** A chat upstream's response with an event for each chunk of its first choice. */
function ofChat(deltas: object[], finish: string, usage?: object): GenerateEvent[] {
  const chunk = (fields: object) => `data: ${JSON.stringify({ id: 'c', model: 'up-1', ...fields })}\n\n`;
  const chunks = deltas.map(delta => chunk({ choices: [{ index: 0, delta, finish_reason: null }] }));
  const last = chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  const stream = [...chunks, last, usage ? chunk({ choices: [], usage }) : '', 'data: [DONE]\n\n'];
  const decoder = decoderOf('chat');
  return [...decoder.read(Buffer.from(stream.join(''))), ...decoder.end()];
}

/** A messages upstream's response. */
function ofMessages(blocks: object[], stop: object, usage: object = { output_tokens: 1 }): GenerateEvent[] {
  const event = (value: { type: string }) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
  const opened = blocks.flatMap((content_block, index) => [
    event({ type: 'content_block_start', index, content_block } as never),
    event({ type: 'content_block_stop', index } as never),
  ]);
  const stream = [
    event({ type: 'message_start', message: { id: 'msg_1', model: 'claude-x', usage: {} } } as never),
    ...opened,
    event({ type: 'message_delta', delta: stop, usage } as never),
    event({ type: 'message_stop' }),
  ];
  const decoder = decoderOf('messages');
  return [...decoder.read(Buffer.from(stream.join(''))), ...decoder.end()];
}

const asMessages = (events: GenerateEvent[]) => events.map(renderers.messages.stream(context).add).join('');
const wholeMessage = (events: GenerateEvent[]) =>
  JSON.parse(JSON.stringify(renderers.messages.whole(folded(events), context)));
const wholeChat = (events: GenerateEvent[]) =>
  JSON.parse(JSON.stringify(renderers.chat.whole(folded(events), context)));

describe('a chat stream with interleaved calls in messages', () => {
  const open = (index: number, id: string) => ({
    tool_calls: [{ index, id, type: 'function', function: { name: 'f', arguments: '' } }],
  });
  const more = (index: number, text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] });
  const usage = { prompt_tokens: 9, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } };
  const events = ofChat(
    [
      { role: 'assistant', content: '' },
      { reasoning_content: 'a' },
      { content: 'b' },
      open(0, 'c0'),
      more(0, '{"x":'),
      open(1, 'c1'),
      more(1, '{}'),
      more(0, '1}'),
    ],
    'tool_calls',
    usage,
  );

  test('pitfall 7, 8: each call of a chat stream has its own block in messages, complete and in order', () => {
    const message = readMessage(asMessages(events));
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: 'a', signature: '' },
      { type: 'text', text: 'b' },
      { type: 'tool_use', id: 'c0', input: { x: 1 } },
      { type: 'tool_use', id: 'c1', input: {} },
    ]);
    expect(message.stop_reason).toBe('tool_use');
  });

  test('pitfall 25: a messages stream of chat begins with zero counters and ends with all of them', () => {
    const frames = readFrames(asMessages(events));
    const start = frames.at(0)?.message?.usage;
    expect(start).toMatchObject({ input_tokens: 0, output_tokens: 0 });
    expect(frames.at(-2)?.usage).toMatchObject({
      input_tokens: 5,
      cache_read_input_tokens: 4,
      cache_creation_input_tokens: 0,
      output_tokens: 7,
    });
  });

  test('a messages stream ends with the known counters if chat sends no usage', () => {
    const silent = ofChat([{ role: 'assistant', content: '' }, { content: 'b' }], 'stop');
    expect(readMessage(asMessages(silent))).toMatchObject({
      stop_reason: 'end_turn',
      usage: { input_tokens: 0, output_tokens: 0 },
    });
  });
});

describe('translated usage', () => {
  const messages = {
    input_tokens: 100,
    cache_read_input_tokens: 800,
    cache_creation_input_tokens: 50,
    output_tokens: 70,
    output_tokens_details: { thinking_tokens: 40 },
  };
  const chat = {
    prompt_tokens: 950,
    completion_tokens: 70,
    total_tokens: 1020,
    prompt_tokens_details: { cached_tokens: 800, cache_write_tokens: 50 },
    completion_tokens_details: { reasoning_tokens: 40 },
  };

  test('pitfall 1, 2: usage of chat counts cached and written input separately in messages', () => {
    const events = ofChat([{ content: 'a' }], 'stop', chat);
    expect(wholeMessage(events).usage).toMatchObject(messages);
    expect(readMessage(asMessages(events)).usage).toMatchObject(messages);
  });

  test('pitfall 3: usage of messages counts all input in chat, whole and streamed', () => {
    const events = ofMessages([{ type: 'text', text: 'a' }], { stop_reason: 'end_turn' }, messages);
    expect(wholeChat(events).usage).toMatchObject(chat);
    const stream = events.map(renderers.chat.stream(context).add).join('');
    const datas = new EventReader().read(Buffer.from(stream)).map(({ data }) => data);
    expect(JSON.parse(datas.at(-2) ?? '')).toMatchObject({ choices: [], usage: chat });
  });
});

describe('translated stop reasons', () => {
  const text = [{ type: 'text', text: 'a' }];
  const call = [{ type: 'tool_use', id: 'a', name: 'f', input: {} }];

  test.each<[string, object[], string]>([
    ['end_turn', text, 'stop'],
    ['stop_sequence', text, 'stop'],
    ['tool_use', call, 'tool_calls'],
    ['max_tokens', text, 'length'],
    ['max_tokens', call, 'length'],
    ['model_context_window_exceeded', text, 'length'],
    ['pause_turn', text, 'length'],
    ['compaction', text, 'length'],
    ['refusal', text, 'content_filter'],
  ])('%s in messages, with %j, becomes %s in chat', (stop_reason, blocks, expected) => {
    const events = ofMessages(blocks, { stop_reason, stop_sequence: null });
    expect(wholeChat(events).choices[0].finish_reason).toBe(expected);
  });

  const called = {
    tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{' } }],
  };
  test.each<[string, object, string]>([
    ['stop', { content: 'a' }, 'end_turn'],
    ['length', { content: 'a' }, 'max_tokens'],
    ['tool_calls', called, 'tool_use'],
    ['stop', called, 'tool_use'],
    ['length', called, 'max_tokens'],
    ['content_filter', { content: 'a' }, 'refusal'],
    ['content_filter', called, 'refusal'],
    ['stop', { refusal: 'No.' }, 'refusal'],
  ])('%s in chat, with %j, becomes %s in messages', (finish, delta, expected) => {
    const events = ofChat([delta], finish);
    expect(wholeMessage(events)).toMatchObject({ stop_reason: expected, stop_sequence: null });
    const { delta: told } = readFrames(asMessages(events)).at(-2) ?? {};
    expect(told).toMatchObject({ stop_reason: expected });
  });
});

describe('translated tool results', () => {
  const calls = ['Oslo', 'Rome'].map((city, i) => ({ id: `call_${i}`, city }));
  const chat = [
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: null,
      tool_calls: calls.map(({ id, city }) => ({
        id,
        type: 'function',
        function: { name: 'weather', arguments: JSON.stringify({ city }) },
      })),
    },
    { role: 'tool', tool_call_id: 'call_0', content: '4 C' },
    { role: 'tool', tool_call_id: 'call_1', content: '18 C' },
  ];
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    {
      role: 'assistant',
      content: calls.map(({ id, city }) => ({ type: 'tool_use', id, name: 'weather', input: { city } })),
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_0', content: '4 C' },
        { type: 'tool_result', tool_use_id: 'call_1', content: '18 C' },
      ],
    },
  ];

  test('pitfall 11: tool results of chat are one turn in messages', () => {
    expect(encoded(parsedAs('chat', { model: 'm', messages: chat }), 'messages').messages).toEqual(messages);
  });

  test('tool results of messages are one chat message each, right after the calls', () => {
    const [user, ...rest] = encoded(parsedAs('messages', { model: 'm', max_tokens: 9, messages }), 'chat')
      .messages as object[];
    expect(user).toEqual({ role: 'user', content: 'Hi' });
    expect(rest).toEqual(chat.slice(1));
  });
});

describe('blocks of messages in chat', () => {
  const png = { type: 'base64', media_type: 'image/png', data: 'iVBO' };
  const known = /^(text|image_url|file)$/;
  test.each([
    { type: 'text', text: 'a', citations: [{ type: 'char_location' }], cache_control: { type: 'ephemeral' } },
    { type: 'image', source: png },
    { type: 'image', source: { type: 'url', url: 'https://i.example/a' } },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } },
    {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'a' },
      citations: { enabled: true },
    },
    { type: 'search_result', source: 'https://kb.example', title: 'T', content: [] },
    { type: 'container_upload', file_id: 'f' },
    { type: 'hologram' },
  ])('pitfall 26: a block of messages is carried in chat: %j', block => {
    const content = [{ type: 'text', text: 'See' }, block];
    const request = parsedAs('messages', {
      model: 'm',
      max_tokens: 9,
      messages: [{ role: 'user', content }],
    });
    const [turn] = encoded(request, 'chat').messages as { content: { type: string }[] }[];
    expect(turn?.content).toHaveLength(2);
    for (const part of turn?.content ?? []) expect(part.type).toMatch(known);
    expect(JSON.stringify(turn)).not.toMatch(/cache_control|citations/);
    expect(() => parseChat({ model: 'm', messages: [turn] }).canonical()).not.toThrow();
  });
});

describe('a chat request in messages', () => {
  const ask = (fields: object) =>
    encoded(
      parsedAs('chat', { model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields }),
      'messages',
    );

  test("a chat request loses speakers' names and the detail of images in messages", () => {
    const image_url = { url: 'https://i.example/a.png', detail: 'low' };
    const { messages } = ask({
      messages: [
        { role: 'user', name: 'ann', content: [{ type: 'image_url', image_url }] },
        { role: 'assistant', name: 'bot', content: 'x' },
        { role: 'user', name: 'bob', content: 'y' },
      ],
    });
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'image', source: { type: 'url', url: image_url.url } }] },
      { role: 'assistant', content: [{ type: 'text', text: 'x' }] },
      { role: 'user', content: [{ type: 'text', text: 'y' }] },
    ]);
  });

  test('a chat request ends with the turn that the model continues', () => {
    const turns = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'So' },
    ];
    expect(ask({ messages: turns }).messages).toMatchObject([
      {},
      { role: 'assistant', content: [{ text: 'So' }] },
    ]);
  });

  test('a chat request has the same bytes every time, with schema keys in their order, so that caches work', () => {
    const parameters = { type: 'object', required: ['b'], properties: { b: { type: 'string' }, a: {} } };
    const fields = {
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    };
    const [first, second] = [JSON.stringify(ask(fields)), JSON.stringify(ask(fields))];
    expect(second).toBe(first);
    expect(first).toContain(JSON.stringify(parameters));
  });
});
