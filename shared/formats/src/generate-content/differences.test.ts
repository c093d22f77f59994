import { user } from '@model-gateway/canonical/testing/parts';
import { expect, test } from 'vitest';
import { input } from '../testing/generate-content-request.ts';
import { encode } from './encode.ts';

/** Those of a cloud that hosts Google's models. */
const differences = { inUrl: ['model'] };
const counting = { operation: 'count-tokens' } as const;
const written = (...from: Parameters<typeof input>) => encode(input(...from)).body.toString();

test('a body for a cloud names no model', () => {
  const text = Buffer.from('{"model":"models/x","contents":[],  "seed":12345678901234567890}');
  expect(written({ text, differences })).toBe('{"contents":[],"seed":12345678901234567890}');
});

test.each(['generateContentRequest', 'generate_content_request'])(
  'a count of tokens of a cloud takes the fields of %s without it',
  name => {
    const text = Buffer.from(`{"${name}":{"model":"models/x","contents":[{"parts":[]}],"tools":[]}}`);
    const body = written({ text, differences, drop: ['tools'] }, counting);
    expect(body).toBe('{"contents":[{"parts":[]}]}');
  },
);

test('a count of contents alone stays as it is, and a translated one is the request itself', () => {
  const text = Buffer.from('{"contents":[{"parts":[{"text":"\\u0041"}]}]}');
  expect(written({ text, differences }, counting)).toBe(text.toString());
  const request = { messages: [user('Hi')] };
  const hosted = JSON.parse(written({ request, differences }, counting));
  const own = JSON.parse(written({ request }, counting));
  expect(hosted).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });
  expect(own.generateContentRequest).toMatchObject(hosted);
});
