import { expect, test } from 'vitest';
import { plain } from '../testing/every-part.ts';
import { readAll } from '../testing/read-all.ts';
import { generateContent } from './formats.ts';

const call = (more: object = {}) => ({ functionCall: { name: 'f', args: {}, ...more } });
const image = { inlineData: { mimeType: 'image/png', data: 'aW1n' } };

test.each<[string, object[], object[]]>([
  ['a text', [{ text: 'a' }, { text: 'b' }], [{ text: 'ab' }]],
  ['a signed text', [{ text: 'a', thoughtSignature: 's' }], [{ text: 'a', thoughtSignature: 's' }]],
  [
    'a signature after a text',
    [{ text: 'a' }, { text: '', thoughtSignature: 's' }],
    [{ text: 'a', thoughtSignature: 's' }],
  ],
  ['reasoning', [{ text: 'r', thought: true }, { text: 'a' }], [{ text: 'a' }]],
  [
    'a signature before everything',
    [{ text: '', thoughtSignature: 's' }, { text: 'a' }],
    [{ text: 'a', thoughtSignature: 's' }],
  ],
  ['an image', [{ text: 'a' }, image], [{ text: 'a' }, image]],
  [
    'calls, signed and without an id',
    [{ ...call({ id: 'c1' }), thoughtSignature: 's' }, call()],
    [{ ...call({ id: 'c1' }), thoughtSignature: 's' }, call()],
  ],
])('%s of an answer goes back as it came', (_what, sent, back) => {
  const { parts } = readAll(generateContent, [
    ...sent.map(part => ({ candidates: [{ content: { role: 'model', parts: [part] } }] })),
    { candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP' }] },
  ]);
  const { body } = generateContent.build({ ...plain, turns: [{ role: 'assistant', parts }] });
  expect(body.contents).toEqual([{ role: 'model', parts: back }]);
});

test('the result of a call without an id names its function', () => {
  const { body } = generateContent.build({
    ...plain,
    turns: [
      {
        role: 'assistant',
        parts: [{ type: 'tool-call', id: 'unnamed_0', name: 'f', arguments: '{"a":1}' }],
      },
      {
        role: 'user',
        parts: [{ type: 'tool-result', callId: 'unnamed_0', name: 'f', text: 'x', isError: false }],
      },
    ],
  });
  expect(body.contents).toEqual([
    { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'x' } } }] },
  ]);
});
