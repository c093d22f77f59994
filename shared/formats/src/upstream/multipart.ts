import type { FormFile } from '@model-gateway/canonical';
import type { FormInput, SentForm, UpstreamRequest } from './dialect.ts';

type Written = Required<Pick<UpstreamRequest, 'body' | 'headers'>>;

/** Writes the client's form with the upstream's model, without the fields that the model does not accept. */
export function nativeForm({ form, envelope, model, drop }: FormInput): Written {
  const left = form.fields.filter(([name]) => name !== 'model' && !drop.includes(outerName(name)));
  return multipart({ ...form, fields: [['model', model], ...left] }, `gateway-${envelope.requestId}`);
}

/** Returns `include` for `include[]`, `chunking_strategy` for `chunking_strategy[type]`. */
function outerName(name: string): string {
  return name.split('[', 1)[0] as string;
}

/** Writes a form, the fields before the files. `boundary` must be unpredictable for the form's author. */
export function multipart({ fields, files, bytes }: SentForm, boundary: string): Written {
  const delimiter = `--${boundary}\r\n`;
  const written = fields.map(([name, value]) => `${delimiter}${disposition(name)}\r\n\r\n${value}\r\n`);
  const head = Buffer.from(written.join(''));
  const heads = files.map(file => Buffer.from(`${delimiter}${fileHead(file)}\r\n\r\n`));
  const end = Buffer.from(`--${boundary}--\r\n`);
  const length =
    head.length +
    files.reduce((sum, { size }, i) => sum + (heads[i] as Buffer).length + size + lineBreak.length, 0) +
    end.length;
  return {
    body: pieces({ head, files, heads, bytes, end }),
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(length),
    },
  };
}

const lineBreak = Buffer.from('\r\n');

interface Pieces {
  head: Buffer;
  files: FormFile[];
  /** The part header of each file. */
  heads: Buffer[];
  bytes: AsyncIterable<Uint8Array>;
  end: Buffer;
}

async function* pieces({ head, files, heads, bytes, end }: Pieces): AsyncGenerator<Uint8Array, void> {
  yield head;
  const source = bytes[Symbol.asyncIterator]();
  let rest: Uint8Array = head.subarray(0, 0);
  for (const [i, { size }] of files.entries()) {
    yield heads[i] as Buffer;
    for (let left = size; left > 0; ) {
      if (rest.length === 0) {
        const { value, done } = await source.next();
        if (done) throw new Error('the form ended before its last file did');
        rest = value;
      }
      const part = rest.subarray(0, left);
      rest = rest.subarray(part.length);
      left -= part.length;
      if (part.length > 0) yield part;
    }
    yield lineBreak;
  }
  yield end;
}

function fileHead({ name, filename, mediaType }: FormFile): string {
  return `${disposition(name)}; filename="${quoted(filename)}"\r\nContent-Type: ${mediaType.replace(/[\r\n]/g, '')}`;
}

function disposition(name: string): string {
  return `Content-Disposition: form-data; name="${quoted(name)}"`;
}

/**
 * Escapes a name like browsers do, by HTML's rules for multipart/form-data. Also escapes the backslash: many parsers
 * read `\"` as an escaped quote, so a name that ends with a backslash could inject another parameter.
 */
function quoted(name: string): string {
  return name.replaceAll('\\', '%5C').replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
