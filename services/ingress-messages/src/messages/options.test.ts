import { AnswerFold, type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { readMessage } from '@model-gateway/wire/testing/message-reader';
import { describe, expect, test } from 'vitest';
import { parse, parseCount } from './parse.ts';
import { messagesRenderer } from './render.ts';

const context = { requestId: 'req_1', created: 0 };
const ask = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'x' }] };

function answers(fields: object, events: GenerateEvent[]): unknown[] {
  const render = messagesRenderer(parse({ ...ask, ...fields }, {}).rendering);
  const fold = new AnswerFold();
  const whole = events.map(event => fold.add(event)).at(-1);
  const streamed = events.map(render.stream(context).add).join('');
  return [readMessage(streamed), JSON.parse(JSON.stringify(whole && render.whole(whole, context)))].map(
    message => (message as { content: unknown }).content,
  );
}

const finish: GenerateEvent = { type: 'finish', reason: 'stop', raw: 'stop', usage: noUsage };
const start: GenerateEvent = { type: 'start', id: 'x', model: 'm' };
const answer: GenerateEvent[] = [
  { type: 'part-start', index: 1, part: { type: 'text' } },
  { type: 'part-delta', index: 1, text: 'Hi' },
  { type: 'part-end', index: 1 },
  finish,
];

describe('omitted thinking', () => {
  const thought = (end: object): GenerateEvent[] => [
    start,
    { type: 'part-start', index: 0, part: { type: 'reasoning' } },
    { type: 'part-delta', index: 0, text: 'Hm' },
    { type: 'part-end', index: 0, ...end },
    ...answer,
  ];
  const omitted = { thinking: { type: 'adaptive', display: 'omitted' } };
  const text = { type: 'text', text: 'Hi' };

  test('omitted thinking without a signature has no block', () => {
    for (const content of answers(omitted, thought({}))) expect(content).toMatchObject([text]);
  });

  test('omitted thinking with a signature has a block without text', () => {
    const signature = { format: 'messages', value: 'EqQB' };
    for (const content of answers(omitted, thought({ signature })))
      expect(content).toMatchObject([{ type: 'thinking', thinking: '', signature: 'EqQB' }, text]);
  });

  test('thinking is sent to clients that do not omit it', () => {
    for (const content of answers({}, thought({}))) expect(content).toMatchObject([{ thinking: 'Hm' }, text]);
  });
});

test('numbers in a history are kept exactly if the text of the body is available', () => {
  const block = '{"type":"tool_use","id":"t","name":"f","input":{"id":9007199254740993}}';
  const text = `{"model":"m","max_tokens":1,"messages":[{"role":"assistant","content":[${block}]}]}`;
  const { messages } = parse(JSON.parse(text), {}, Buffer.from(text)).canonical();
  expect(messages[0]?.content[0]).toMatchObject({ arguments: '{"id":9007199254740993}' });
});

test.each([
  ['{"id":9007199254740993}', '{"id":9007199254740993}'],
  ['9007199254740993', '{"value":9007199254740993}'],
])('a call in a complete response keeps exact numbers: %s', (text, input) => {
  const call: GenerateEvent[] = [
    { type: 'part-start', index: 0, part: { type: 'tool-call', id: 't', name: 'f' } },
    { type: 'part-delta', index: 0, text },
    { type: 'part-end', index: 0 },
    finish,
  ];
  const fold = new AnswerFold();
  const whole = [start, ...call].map(event => fold.add(event)).at(-1);
  const render = messagesRenderer(parse(ask, {}).rendering);
  expect(JSON.stringify(whole && render.whole(whole, context))).toContain(`"input":${input}`);
});

test.each([parse, parseCount])('a thread is rejected: %o', read => {
  const thread = { type: 'continue', previous_message_id: 'msg_1' };
  const { max_tokens: _, ...counted } = ask;
  const body = read === parse ? ask : counted;
  expect(() => read({ ...body, thread }, {})).toThrow('thread: threads are not supported');
});

test('schemas and arguments keep exact numbers and keys such as __proto__', () => {
  const schema =
    '{"type":"object","maximum":12345678901234567890,"__proto__":{"a":1.0},"b":{"__proto__":{}}}';
  const input = '{"__proto__":{"n":12345678901234567890}}';
  const text = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[
    {"type":"tool_use","id":"t","name":"f","input":${input}}]}],"tools":[{"name":"f","input_schema":${schema}}],
    "output_config":{"format":{"type":"json_schema","schema":${schema}}}}`;
  const { canonical } = parse(JSON.parse(text), {}, Buffer.from(text));
  const { messages, tools, output } = canonical();
  expect(JSON.stringify(tools)).toBe(`[{"type":"function","name":"f","parameters":${schema}}]`);
  expect(JSON.stringify(output)).toBe(`{"type":"schema","schema":${schema}}`);
  expect(messages[1]?.content).toMatchObject([{ arguments: input }]);
});

test('a history with citations made by the gateway is foreign', () => {
  const cite = (encrypted_index: string) => {
    const citations = [{ type: 'web_search_result_location', url: 'u', encrypted_index }];
    const content = [{ type: 'text', text: 'Hi', citations }];
    return parse({ ...ask, messages: [...ask.messages, { role: 'assistant', content }] }, {}).foreign;
  };
  expect(cite('')).toBe(true);
  expect(cite('Eo8B')).toBe(false);
});
