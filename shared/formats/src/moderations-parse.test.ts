import { refusal } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';
import { parse } from './moderations.ts';

const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };

test.each([['a text'], [''], [['one', 'two']], [[{ type: 'text', text: 'a' }, image]]])(
  'the input %j is taken',
  input => {
    expect(parse({ model: 'm', input })).toMatchObject({ type: 'moderate', model: 'm', stream: false });
  },
);

test('a request without a model asks for the default of the format', () => {
  expect(parse({ input: 'a' }).model).toBe('omni-moderation-latest');
  expect(parse({ input: 'a', model: null }).model).toBe('omni-moderation-latest');
});

test.each([
  [{}, 'input'],
  [{ input: 5 }, 'input'],
  [{ input: [] }, 'input'],
  [{ input: ['a', 5] }, 'input[1]'],
  [{ input: [{ type: 'video' }] }, 'input[0].type'],
  [{ input: [{ type: 'text', text: 5 }] }, 'input[0].text'],
  [{ input: [{ type: 'image_url' }] }, 'input[0].image_url'],
  [{ input: [{ type: 'image_url', image_url: 'https://example.com/a.png' }] }, 'input[0].image_url'],
  [{ input: [image, { type: 'image_url', image_url: { url: '' } }] }, 'input[1].image_url.url'],
  [{ input: [image, 'a text'] }, 'input[1]'],
  [{ input: ['a text', image] }, 'input[1]'],
  [{ input: [null] }, 'input[0]'],
  [{ input: 'a', model: 5 }, 'model'],
])('%j is refused by the field %s', (body, param) => {
  expect(refusal(() => parse(body))).toMatchObject({ param });
});
