import { expect, test } from 'vitest';
import { type GenerateFormat, generateFormats } from '../envelope.ts';
import { isForeignSignature, readSignature, readSignedId, writeSignature } from './signature.ts';

const pairs = generateFormats.flatMap(own =>
  generateFormats.map((format): [GenerateFormat, GenerateFormat] => [format, own]),
);

test.each(pairs)(
  'a signature of %s survives a place of %s, and is foreign where it is not its own',
  (format, own) => {
    const signature = { format, value: 'EqQB+/==' };
    const kept = writeSignature(signature, own);
    expect(readSignature(kept, own)).toEqual(signature);
    expect(isForeignSignature(kept, own)).toBe(format !== own);
    expect(kept === signature.value).toBe(format === own);
  },
);

test("what stands in Google's format for another vendor is base64, of either alphabet once it comes back", () => {
  const signature = { format: 'messages', value: 'Eq>?QB~~' } as const;
  const kept = writeSignature(signature, 'generate-content');
  expect(Buffer.from(kept, 'base64').toString('base64')).toBe(kept);
  const urlSafe = kept.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  expect(readSignature(urlSafe, 'generate-content')).toEqual(signature);
});

test.each([[''], [null], [undefined]])('%j proves nothing', text => {
  expect(readSignature(text, 'messages')).toBeUndefined();
  expect(isForeignSignature(text, 'messages')).toBe(false);
});

test('a tag that nobody knows is none', () => {
  expect(readSignature('x:s', 'messages')).toEqual({ format: 'messages', value: 'x:s' });
});

test("a call's id gives back what is hidden in it", () => {
  expect(readSignedId('call_x__thought__s+/=')).toEqual({ id: 'call_x', signature: 's+/=' });
  expect(readSignedId('call_x')).toEqual({ id: 'call_x' });
});
