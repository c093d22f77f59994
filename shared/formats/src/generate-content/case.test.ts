import { expect, test } from 'vitest';
import { camelCase, camelCased } from '../index.ts';

test.each([
  ['system_instruction', 'systemInstruction'],
  ['systemInstruction', 'systemInstruction'],
  ['_responseJsonSchema', '_responseJsonSchema'],
  ['top_p', 'topP'],
  ['x', 'x'],
])('camelCase converts %s to %s', (spelled, name) => {
  expect(camelCase(spelled)).toBe(name);
});

test('camelCased keeps the case of user data at any depth', () => {
  expect(
    camelCased({
      contents: [{ parts: [{ function_call: { name: 'a_b', args: { my_key: { in_it: 1 } } } }] }],
      generation_config: {
        response_schema: { properties: { my_key: { max_items: 1 } }, property_ordering: ['my_key'] },
      },
    }),
  ).toEqual({
    contents: [{ parts: [{ functionCall: { name: 'a_b', args: { my_key: { in_it: 1 } } } }] }],
    generationConfig: {
      responseSchema: { properties: { my_key: { maxItems: 1 } }, propertyOrdering: ['my_key'] },
    },
  });
});

test('camelCased keeps the first of two spellings of a field', () => {
  expect(camelCased({ top_k: 1, topK: 2 })).toEqual({ topK: 1 });
});

test('camelCased keeps raw JSON numbers', () => {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  expect(JSON.stringify(camelCased({ video_metadata: { fps: rawJSON('1.50') } }))).toBe(
    '{"videoMetadata":{"fps":1.50}}',
  );
});
