import { type GenerateFormat, signatureTags } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { isForeignSignature, readSignature, readSignedId, writeSignature } from './signatures.ts';

const formats = Object.keys(signatureTags) as GenerateFormat[];

test('a tag is two letters that no other format has', () => {
  const tags = Object.values(signatureTags);
  expect(tags.filter(tag => !/^[a-z]{2}$/.test(tag))).toEqual([]);
  expect(new Set(tags).size).toBe(tags.length);
});

const pairs = formats.flatMap(carrier =>
  formats.map((format): [GenerateFormat, GenerateFormat] => [format, carrier]),
);

test.each(pairs)(
  'a signature of %s survives in a field of %s, and is foreign there if the formats differ',
  (format, carrier) => {
    const signature = { format, value: 'EqQB+/==' };
    const written = writeSignature(signature, carrier);
    expect(readSignature(written, carrier)).toEqual(signature);
    expect(isForeignSignature(written, carrier)).toBe(format !== carrier);
    expect(written === signature.value).toBe(format === carrier);
  },
);

test("another vendor's signature is base64 in Google's format, and is read in either alphabet", () => {
  const signature = { format: 'messages', value: 'Eq>?QB~~' } as const;
  const written = writeSignature(signature, 'generate-content');
  expect(Buffer.from(written, 'base64').toString('base64')).toBe(written);
  const urlSafe = written.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  expect(readSignature(urlSafe, 'generate-content')).toEqual(signature);
});

test.each([[''], [null], [undefined]])('%j is read as no signature', text => {
  expect(readSignature(text, 'messages')).toBeUndefined();
  expect(isForeignSignature(text, 'messages')).toBe(false);
});

test('an unknown tag is read as part of the signature', () => {
  expect(readSignature('x:s', 'messages')).toEqual({ format: 'messages', value: 'x:s' });
});

test("readSignedId takes a signature out of a call's id", () => {
  expect(readSignedId('call_x__thought__s+/=')).toEqual({ id: 'call_x', signature: 's+/=' });
  expect(readSignedId('call_x')).toEqual({ id: 'call_x' });
});
