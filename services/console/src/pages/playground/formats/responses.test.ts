import { expect, test } from 'vitest';
import { plain } from '../testing/every-part.ts';
import { readAll } from '../testing/read-all.ts';
import { responses } from './formats.ts';

const summary = (...texts: string[]) => texts.map(text => ({ type: 'summary_text', text }));
const reasoning = (more: object) => ({ type: 'reasoning', id: 'rs_1', summary: [], ...more });
const said = (...content: object[]) => ({ type: 'message', role: 'assistant', content });
const text = (text: string) => ({ type: 'output_text', text });
const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' };
const image = { type: 'image_generation_call', result: 'aW1n' };

test.each<[string, object[], object[]]>([
  ['a text', [said(text('a'))], [{ role: 'assistant', content: [text('a')] }]],
  [
    'a refusal',
    [said({ type: 'refusal', refusal: 'No' })],
    [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] }],
  ],
  [
    'encrypted reasoning',
    [reasoning({ summary: summary('A', 'B'), encrypted_content: 'e' }), call],
    [reasoning({ summary: summary('A', 'B'), encrypted_content: 'e' }), call],
  ],
  [
    'encrypted reasoning without a text',
    [reasoning({ encrypted_content: 'e' }), call],
    [reasoning({ encrypted_content: 'e' }), call],
  ],
  ['reasoning that is not encrypted', [reasoning({ summary: summary('A') }), call], [call]],
  ['an image', [image, said(text('a'))], [{ role: 'assistant', content: [text('a')] }]],
])('%s of an answer goes back as it came', (_what, items, input) => {
  const { parts } = readAll(responses, [
    ...items.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, content: [] } },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: { status: 'completed' } },
  ]);
  const { body } = responses.build({ ...plain, turns: [{ role: 'assistant', parts }] });
  expect(body.input).toEqual(input);
});
