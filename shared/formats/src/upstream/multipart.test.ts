import { randomBytes } from 'node:crypto';
import type { FormFile } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { describe, expect, test } from 'vitest';
import type { SentForm } from './dialect.ts';
import { multipart, nativeForm } from './multipart.ts';

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const fileOf = (size: number, more: Partial<FormFile> = {}): FormFile => ({
  ...{ name: 'file', filename: 'a.wav', mediaType: 'audio/wav', size },
  ...more,
});
/** The form that is sent, with one file of one byte. */
async function written(fields: [string, string][], file: Partial<FormFile>): Promise<string> {
  const bytes = inPieces(Buffer.from('x'), 1);
  const { body } = multipart({ fields, files: [fileOf(1, file)], bytes }, 'boundary');
  return Buffer.concat(await Array.fromAsync(body as AsyncIterable<Uint8Array>)).toString();
}

/** Parses a form with `Response.formData`, independent of the gateway's code. */
async function read({ body, headers }: ReturnType<typeof multipart>) {
  const whole = Buffer.concat(await Array.fromAsync(body as AsyncIterable<Uint8Array>));
  expect(Number(headers['content-length'])).toBe(whole.length);
  const form = await new Response(whole, { headers }).formData();
  return Promise.all(
    [...form].map(async ([name, value]) =>
      typeof value === 'string'
        ? [name, value]
        : [name, value.name, value.type, Buffer.from(await value.arrayBuffer())],
    ),
  );
}

describe('a form as it is sent upstream', () => {
  test.each([1, 3, 100, 4_096])(
    'a form keeps its fields and files if their bytes arrive in pieces of %i',
    async size => {
      const [one, two, none] = [randomBytes(300), randomBytes(77), Buffer.alloc(0)];
      const fields = Object.entries({ model: 'up', prompt: 'größer\r\n--x\r\n👋' });
      const odd = { name: 'file[]', filename: 'ä "x"\r\n.wav' };
      const files = [fileOf(300), fileOf(0, { name: 'empty' }), fileOf(77, odd)];
      const sent: SentForm = { fields, files, bytes: inPieces(Buffer.concat([one, two]), size) };
      expect(await read(multipart(sent, 'boundary'))).toEqual([
        ...fields,
        ['file', 'a.wav', 'audio/wav', one],
        ['empty', 'a.wav', 'audio/wav', none],
        ['file[]', 'ä "x"\r\n.wav', 'audio/wav', two],
      ]);
    },
  );

  test('a name or media type with line breaks adds no header', async () => {
    const evil = 'a"\r\nX-Evil: 1\r\n\r\n';
    const text = await written([[evil, 'v']], { filename: evil, mediaType: 'audio/wav\r\nX-Evil: 1' });
    expect(text).not.toMatch(/^X-Evil/m);
  });

  test('a backslash in a name is escaped, so that no parser reads it as the escape of a quote', async () => {
    const text = await written([['a\\', 'v']], { name: 'a\\', filename: '; name=model; x=' });
    expect(text).not.toContain('\\');
    expect(text).toContain('name="a%5C"; filename="; name=model; x="');
  });

  test('a form fails if its bytes end too early', async () => {
    const sent = { fields: [], files: [fileOf(10)], bytes: inPieces(randomBytes(9), 4) };
    const { body } = multipart(sent, 'boundary');
    await expect(Array.fromAsync(body as AsyncIterable<Uint8Array>)).rejects.toThrow('ended before');
  });
});

test("a client's form gets the upstream's model and loses the fields that the model does not accept", async () => {
  const sent = ['prompt=Hi', 'model=m', 'include[]=logprobs', 'chunking_strategy[type]=server_vad'];
  const fields = [...sent, 'include_all=x', 'model=n'].map(each => each.split('=') as [string, string]);
  const form: SentForm = { fields, files: [], bytes: inPieces(Buffer.alloc(0), 1) };
  const drop = ['include', 'chunking_strategy'];
  const envelope = testEnvelope();
  const upstream = nativeForm({ envelope, body: 'form', form, model: 'up', drop, limits: {} });
  expect(await read(upstream)).toEqual(Object.entries({ model: 'up', prompt: 'Hi', include_all: 'x' }));
});
