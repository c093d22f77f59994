import type { GenerateEvent, PartStart } from '@model-gateway/canonical';
import { finish, folded, partEvents } from '@model-gateway/canonical/testing/events';
import { signed } from '@model-gateway/canonical/testing/parts';
import { readMessage } from '@model-gateway/formats/testing/message-reader';
import { expect, test } from 'vitest';
import { parse } from './parse.ts';
import { messagesRenderer } from './render.ts';

const context = { requestId: 'req_1', created: 0 };
const ask = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'x' }] };
const start: GenerateEvent = { type: 'start', id: 'x', model: 'm' };

test.each([
  [{ thinking: { type: 'adaptive', display: 'omitted' } }, {}, []],
  [
    { thinking: { type: 'adaptive', display: 'omitted' } },
    signed('EqQB'),
    [{ type: 'thinking', thinking: '', signature: 'EqQB' }],
  ],
  [{}, {}, [{ type: 'thinking', thinking: 'Hm', signature: '' }]],
])('with %j, thinking that ends with %j has the blocks %j', (fields, end, blocks) => {
  const thought = partEvents(0, { type: 'reasoning' }, ['Hm'], end);
  const events = [start, ...thought, ...partEvents(1, { type: 'text' }, ['Hi']), finish()];
  const render = messagesRenderer(parse({ ...ask, ...fields }, {}).rendering);
  const content = [...blocks, { type: 'text', text: 'Hi', citations: null }];
  expect(JSON.parse(JSON.stringify(render.whole(folded(events), context)))).toMatchObject({ content });
  expect(readMessage(events.map(render.stream(context).add).join(''))).toMatchObject({ content });
});

test.each([
  ['{"id":9007199254740993}', '{"id":9007199254740993}'],
  ['9007199254740993', '{"value":9007199254740993}'],
])('a call in a complete response keeps exact numbers: %s', (text, input) => {
  const call: PartStart = { type: 'tool-call', id: 't', name: 'f' };
  const answer = folded([start, ...partEvents(0, call, [text]), finish()]);
  const render = messagesRenderer(parse(ask, {}).rendering);
  expect(JSON.stringify(render.whole(answer, context))).toContain(`"input":${input}`);
});

test('schemas and arguments keep exact numbers and keys such as __proto__', () => {
  const schema =
    '{"type":"object","maximum":12345678901234567890,"__proto__":{"a":1.0},"b":{"__proto__":{}}}';
  const input = '{"__proto__":{"n":12345678901234567890}}';
  const text = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[
    {"type":"tool_use","id":"t","name":"f","input":${input}}]}],"tools":[{"name":"f","input_schema":${schema}}],
    "output_config":{"format":{"type":"json_schema","schema":${schema}}}}`;
  const { messages, tools, output } = parse(JSON.parse(text), {}, Buffer.from(text)).canonical();
  expect(JSON.stringify(tools)).toBe(`[{"type":"function","name":"f","parameters":${schema}}]`);
  expect(JSON.stringify(output)).toBe(`{"type":"schema","schema":${schema}}`);
  expect(messages[1]?.content).toMatchObject([{ arguments: input }]);
});
