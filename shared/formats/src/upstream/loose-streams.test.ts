import type { GenerateEvent, Operation, WireFormat } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { passed, readAll } from '@model-gateway/canonical/testing/events';
import { describe, expect, test } from 'vitest';
import { decodeBody as decodeConverse } from '../converse/decode.ts';
import { findDialect } from '../dialects.ts';
import { decodeBody as decodeMessages, WholeDecoder } from '../messages/decode.ts';
import type { Decoder, EncodeInput } from './dialect.ts';

interface Stream {
  operation: Operation;
  format: WireFormat;
  /** The data of its events. */
  events: object[];
  /** The events have their types as names. */
  isNamed?: boolean;
  /** The mark that ends it. */
  mark?: string;
}

const place = { item_id: 'i', output_index: 0, content_index: 0 };
const item = { type: 'message', id: 'i', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] };
const response = { id: 'r', object: 'response', model: 'm' };
const usage = { input_tokens: 3, output_tokens: 2 };

const streams: Stream[] = [
  {
    operation: 'generate',
    format: 'chat',
    mark: '[DONE]',
    events: [
      { id: 'c', model: 'm', choices: [{ index: 0, delta: { content: 'Hi' } }] },
      { id: 'c', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
    ],
  },
  {
    operation: 'generate',
    format: 'completions',
    mark: '[DONE]',
    events: [{ id: 'c', model: 'm', choices: [{ index: 0, text: 'Hi', finish_reason: 'stop' }] }],
  },
  {
    operation: 'generate',
    format: 'messages',
    isNamed: true,
    events: [
      { type: 'message_start', message: { id: 'm', model: 'm', usage } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ],
  },
  {
    operation: 'generate',
    format: 'responses',
    isNamed: true,
    events: [
      { type: 'response.created', response: { ...response, status: 'in_progress' } },
      { type: 'response.output_text.delta', ...place, delta: 'Hi' },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } },
    ],
  },
  {
    operation: 'generate',
    format: 'generate-content',
    events: [
      { candidates: [{ index: 0, content: { parts: [{ text: 'Hi' }] } }] },
      { candidates: [{ index: 0, content: { parts: [] }, finishReason: 'STOP' }], usageMetadata: {} },
    ],
  },
  {
    operation: 'generate',
    format: 'cohere-chat',
    isNamed: true,
    events: [
      { type: 'message-start', id: 'c' },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hi' } } } },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
    ],
  },
  {
    operation: 'image',
    format: 'images',
    isNamed: true,
    events: [
      { type: 'image_generation.partial_image', b64_json: 'QQ==' },
      { type: 'image_generation.completed', b64_json: 'QQ==', usage },
    ],
  },
  {
    operation: 'transcribe',
    format: 'transcriptions',
    events: [
      { type: 'transcript.text.delta', delta: 'Hi' },
      { type: 'transcript.text.done', text: 'Hi', usage },
    ],
  },
  {
    operation: 'speech',
    format: 'speech',
    events: [
      { type: 'speech.audio.delta', audio: 'AAAA' },
      { type: 'speech.audio.done', usage },
    ],
  },
];

const form = { fields: [], files: [], bytes: (async function* () {})() };
const bodies = {
  verbatim: { body: 'verbatim', text: Buffer.from('{"input":"Hi","stream_options":{"include_usage":true}}') },
  canonical: { body: 'canonical', request: { messages: [] } },
  form: { body: 'form', form },
} as const;

/** Decodes a stream of a format in each way that its dialect has, read `size` bytes at a time. */
function decoded({ operation, format }: Stream, text: string, size = 1e9) {
  return Object.values(bodies).flatMap(body => {
    if (operation !== 'generate' && body.body === 'canonical') return [];
    const dialect = findDialect(operation, format, body.body);
    if (!dialect) return [];
    const envelope = { ...testEnvelope(), operation, format };
    const input = { envelope, model: 'm', drop: [], limits: {}, ...body } as EncodeInput;
    const decoder: Decoder = dialect.decodeStream(input);
    const events = readAll(decoder, text, size);
    return [{ way: body.body, events: meaning(events), sent: passed(events).replaceAll('\r', '') }];
  });
}

const meaning = (events: readonly GenerateEvent[]) => events.filter(({ type }) => type !== 'verbatim');

function written({ events, isNamed, mark }: Stream, between = ''): string {
  const texts = events.map(event => {
    const name = isNamed ? `event: ${(event as { type: string }).type}\n` : '';
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  const all = mark ? [...texts, `data: ${mark}\n\n`] : texts;
  return between + all.join(between);
}

describe.each(streams)('a stream of $format', stream => {
  const good = written(stream);
  const expected = decoded(stream, good);

  test('is decoded', () => {
    expect(expected.length).toBeGreaterThan(0);
    for (const { events } of expected) expect(events.at(-1)).toMatchObject({ type: 'finish' });
  });

  const withoutMark = stream.mark ? good.slice(0, good.lastIndexOf('data: ')) : good;
  const { format } = stream;

  test.each([1, 7, 1e9])('may end without line ends, read %i bytes at a time', size => {
    for (const ended of [good.trimEnd(), good.slice(0, -1), `${good.trimEnd()}\r\n`, withoutMark.trimEnd()])
      expect(decoded(stream, ended, size)).toEqual(expected);
    // Comments and fields without data say nothing.
    for (const rest of [': ping', 'event: ping', 'retry: 10\n', 'data:', 'dat', 'data: [DO', 'id: 1'])
      expect(decoded(stream, good + rest, size)).toEqual(expected);
  });

  test.each([1, 7, 1e9])(
    'that ends within its last event with content is cut off, read %i bytes at a time',
    size => {
      const at = withoutMark.trimEnd().length;
      for (const { events } of decoded(stream, withoutMark.slice(0, at - 3), size)) {
        const isComplete = format === 'messages';
        expect(events.at(-1)).toMatchObject({ type: isComplete ? 'finish' : 'error' });
      }
    },
  );

  test.each([
    'data:\n\n',
    'data: \n\n',
    'data\n\n',
    'data: {}\n\n',
    'data: null\n\n',
    'data: ""\n\n',
    'event: ping\ndata:\n\n',
    'event: ping\ndata: {}\n\n',
    'event: ping\ndata: pong\n\n',
    'event: keepalive\ndata: true\n\n',
    'event: heartbeat\ndata: 17\n\n',
    'data:\r\n\r\n',
    'event: ping\r\ndata: {}\r\n\r\n',
  ])('is the same with the heartbeat %j between its events, which is not passed on', heartbeat => {
    for (const size of [1, 1e9]) expect(decoded(stream, written(stream, heartbeat), size)).toEqual(expected);
  });

  test.each([
    'data:  [DONE]\n\n',
    'data: [DONE] \n\n',
    'data:[DONE]\n\n',
    'data: [done]\n\n',
    'data: "[DONE]"\n\n',
  ])('may end with the mark %j', mark => {
    const ended = decoded(stream, withoutMark + mark);
    const plain = decoded(stream, `${withoutMark}data: [DONE]\n\n`);
    expect(ended.map(({ events }) => events)).toEqual(expected.map(({ events }) => events));
    expect(ended.map(({ sent }) => sent.replace('data:[DONE]', 'data: [DONE]'))).toEqual(
      plain.map(({ sent }) => sent),
    );
  });

  test('has the same answer with heartbeats that are events of the format', () => {
    const heartbeat = 'event: ping\ndata: {"type":"ping"}\n\n';
    const read = decoded(stream, written(stream, heartbeat));
    expect(read.map(({ events }) => events)).toEqual(expected.map(({ events }) => events));
    for (const { sent, way } of read)
      if (way !== 'canonical')
        expect(sent.includes(heartbeat)).toBe(format === 'messages' || format === 'responses');
  });

  test.each([{}, { code: 0, message: '' }, { code: null, type: '', details: [] }])(
    'has the same answer with the error %j in each event',
    error => {
      const events = stream.events.map(event => ({ ...event, error }));
      const read = decoded(stream, written({ ...stream, events }));
      // A partial image is not parsed.
      if (format !== 'images') expect(read).toEqual(expected);
      else expect(read.map(({ events }) => events)).toEqual(expected.map(({ events }) => events));
    },
  );

  test('that has only its first event and the mark is no whole answer', () => {
    const cut = written({ ...stream, events: stream.events.slice(0, 1), mark: '[DONE]' });
    if (stream.operation !== 'generate' || stream.events.length === 1) return;
    for (const { events } of decoded(stream, cut))
      expect(events.at(-1)).toMatchObject(
        // The end mark tells that the text may be passed on.
        format === 'chat' ? { type: 'finish', reason: 'length' } : { type: 'error', kind: 'upstream' },
      );
  });
});

test.each([
  ['message_stop', ''],
  ['', 'data: [DONE]\n\n'],
  ['', 'data:  [DONE]'],
])('a stream of messages that ends with %j and %j ends with message_stop', (last, mark) => {
  const messages = streams.find(({ format }) => format === 'messages') as Stream;
  const good = written(messages);
  const [before = ''] = good.split('event: message_stop');
  for (const { way, events, sent } of decoded(messages, (last ? good : before) + mark)) {
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
    if (way === 'verbatim') expect(sent).toBe(good);
  }
});

test.each(['chat', 'messages', 'responses', 'generate-content', 'cohere-chat'])(
  'an error as bare JSON at the end of a stream of %s is its error',
  format => {
    const stream = streams.find(each => each.format === format) as Stream;
    const first = written({ ...stream, events: stream.events.slice(0, 1), mark: '' });
    const error = JSON.stringify({ error: { code: 500, message: 'Boom.' } }, null, 2);
    for (const { events } of decoded(stream, first + error))
      expect(events.at(-1)).toMatchObject({ type: 'error', message: 'Boom.' });
  },
);

describe('values that nest deeply', () => {
  const answer = { tools: new Map(), seed: 'req_1' };
  const deep = `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`;
  const tool = `{"type":"tool_use","id":"t","name":"f","input":${deep}}`;

  const messages = `{"id":"m","type":"message","role":"assistant","model":"up","content":[${tool}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`;
  const converse = `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"f","input":${deep}}}]}},"stopReason":"tool_use","usage":{"inputTokens":1,"outputTokens":1}}`;

  test.each<[string, () => GenerateEvent[] | undefined]>([
    ['messages', () => decodeMessages(Buffer.from(messages), answer)],
    ['converse', () => decodeConverse(Buffer.from(converse), answer)],
  ])(
    'an answer in the format %s whose call nests too deep is an error of the upstream',
    (_format, decode) => {
      expect(decode()?.at(-1)).toMatchObject({ type: 'error', kind: 'upstream' });
    },
  );
});

describe('answers without content', () => {
  const options = { tools: new Map(), seed: 'req_1' };
  const message = {
    type: 'message',
    id: 'm',
    role: 'assistant',
    model: 'up',
    stop_reason: 'end_turn',
    content: null,
  };
  const bytes = (value: object) => Buffer.from(JSON.stringify(value));

  test('a whole answer whose content is null is empty', () => {
    const finish = { type: 'finish', reason: 'stop' };
    expect(decodeMessages(bytes(message), options)).toMatchObject([{ type: 'start' }, finish]);
    const converse = { output: { message: { role: 'assistant', content: null } }, stopReason: 'end_turn' };
    expect(decodeConverse(bytes(converse), options)).toMatchObject([{ type: 'start' }, finish]);
    const passed = new WholeDecoder();
    passed.read(bytes(message));
    expect(passed.end()).toMatchObject([{ type: 'verbatim' }, finish]);
  });
});
