import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import busboy, { type Busboy } from 'busboy';
import { Refusal } from './refusal.ts';

/** A text in a form. */
export interface FieldPart {
  kind: 'field';
  name: string;
  value: string;
}

/** A file in a form, whose bytes come as they are read. */
export interface FilePart {
  kind: 'file';
  name: string;
  /** Without folders; null where the client said none. */
  filename: string | null;
  /** The content type that the client says. */
  type: string;
  bytes: AsyncIterable<Buffer>;
}

export type Part = FieldPart | FilePart;

const mostParts = 100;
const mostFieldBytes = 2 * 1024 * 1024;

/**
 * Reads a form's parts in their order, as they come. No file is whole in memory: the client is held up until the bytes are
 * read. What is left of a file when the next part is asked for is skipped; who stops early has the rest discarded.
 * @throws Refusal where it is no form; another error where the client leaves
 */
export async function* readParts(request: IncomingMessage): AsyncGenerator<Part> {
  const parser = createParser(request);
  if (request.destroyed) throw new Error('The client left before its upload.');
  const parts = partsOf(parser);
  request.once('close', () => {
    if (!request.complete) parser.destroy(new Error('The client left in the middle of its upload'));
  });
  try {
    request.pipe(parser);
    for await (const part of parts) {
      if (part.kind === 'field') yield part;
      else {
        yield { ...part, bytes: bytesOf(part.bytes) };
        part.bytes.resume();
      }
    }
  } finally {
    request.unpipe(parser);
    parser.destroy();
    request.resume();
  }
}

/** Reads all of a file. @throws Refusal where it is longer than `maxBytes` */
export async function readWhole({ name, bytes }: FilePart, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes)
      throw new Refusal(
        413,
        `The file '${name}' is larger than ${maxBytes} bytes.`,
        'request_too_large',
        name,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function createParser({ headers }: IncomingMessage): Busboy {
  const type = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(type))
    throw new Refusal(
      400,
      `Unsupported content type: '${type.split(';')[0]}'. This API method only accepts 'multipart/form-data' requests, but you specified the header 'Content-Type: ${type}'. Please try again with a supported content type.`,
      'unsupported_content_type',
    );
  try {
    return busboy({
      headers,
      limits: { parts: mostParts, fieldSize: mostFieldBytes },
      defParamCharset: 'utf8',
    });
  } catch {
    throw notAForm('there is no boundary in the content type');
  }
}

type Parsed = FieldPart | (Omit<FilePart, 'bytes'> & { bytes: Readable });

/** A file's bytes. Who stops early leaves the stream as it is, for the rest to be skipped. */
async function* bytesOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw broken(error);
  }
}

/** What a parser finds. Its bound is the parser's: no more parts than are allowed, and of a file only what was asked for. */
function partsOf(parser: Busboy): AsyncIterable<Parsed> {
  const parts = new Readable({ objectMode: true, read() {} });
  const refuse = (why: string) => parts.destroy(notAForm(why));
  parser.on('field', (name: string | undefined, value, { valueTruncated }) => {
    if (name === undefined) refuse('a part has no name');
    else if (valueTruncated) refuse(`'${name}' is longer than ${mostFieldBytes} bytes`);
    else parts.push({ kind: 'field', name, value } satisfies Parsed);
  });
  parser.on('file', (name: string | undefined, bytes, { filename, mimeType: type }) => {
    // Who reads it hears of it; an unread one must not end the process.
    bytes.on('error', () => {});
    if (name === undefined) refuse('a part has no name');
    else parts.push({ kind: 'file', name, filename: filename ?? null, type, bytes } satisfies Parsed);
  });
  parser.on('partsLimit', () => refuse(`it has more than ${mostParts} parts`));
  parser.on('error', error => parts.destroy(broken(error)));
  parser.on('close', () => parts.push(null));
  return parts;
}

/** In the parser's own words, which are about the form alone. */
function broken(error: unknown): Refusal {
  const said = error instanceof Error ? error.message : 'broken';
  return notAForm(said.charAt(0).toLowerCase() + said.slice(1));
}

function notAForm(why: string): Refusal {
  return new Refusal(400, `Could not parse multipart form: ${why}.`);
}
