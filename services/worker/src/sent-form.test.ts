import { randomBytes } from 'node:crypto';
import type { Form } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { readForm } from './serve-route.ts';

const form: Form = {
  fields: [['prompt', 'größer 👋']],
  files: [{ name: 'file', filename: 'a.wav', mediaType: 'audio/wav', size: 1_000 }],
};
const text = Buffer.from(JSON.stringify(form));
const file = randomBytes(1_000);

/** Yields a body in pieces of `size` bytes. */
function incoming(body: Buffer, size: number) {
  return {
    async *bytes() {
      for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
    },
  };
}

describe('readForm', () => {
  test.each([1, 7, text.length - 1, text.length, text.length + 1, 5_000])(
    'a form is read from pieces of %i bytes',
    async size => {
      const { bytes, ...read } = await readForm(incoming(Buffer.concat([text, file]), size), text.length);
      expect(read).toEqual(form);
      expect(Buffer.concat(await Array.fromAsync(bytes))).toEqual(file);
    },
  );

  test('a form whose text is cut off is rejected as cancelled', async () => {
    const broken = readForm(incoming(text.subarray(0, 20), 7), text.length);
    await expect(broken).rejects.toMatchObject({ kind: 'cancelled' });
  });
});
