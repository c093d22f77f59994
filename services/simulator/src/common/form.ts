import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy, { type Busboy } from 'busboy';
import { ApiError } from './api-error.ts';

/** A file. Its bytes are counted and hashed while they are read, and only the first bytes are kept. */
export interface UploadedFile {
  /** The content type that the client sent. */
  type: string;
  bytes: number;
  /** In hexadecimal. */
  sha256: string;
  head: Buffer;
}

/** A file of a form. */
export interface FormFile extends UploadedFile {
  name: string;
  /** Without folders; null if it is missing. */
  filename: string | null;
}

export interface Form {
  /** Names and values in the order of the form. */
  fields: [name: string, value: string][];
  files: FormFile[];
}

const maxParts = 100;
const maxFieldBytes = 2 * 1024 * 1024;

/** Reads a form and keeps the first `keptBytes` of each file. @throws ApiError if the body is not a form */
export async function readForm(request: IncomingMessage, keptBytes: number): Promise<Form> {
  const parser = createParser(request);
  const form: Form = { fields: [], files: [] };
  const files: Promise<FormFile>[] = [];
  const closed = new Promise<void>((resolve, reject) => {
    const refuse = (reason: string) => reject(malformed(reason));
    parser.on('field', (name: string | undefined, value, { valueTruncated }) => {
      if (name === undefined) refuse('a part has no name');
      else if (valueTruncated) refuse(`'${name}' is longer than ${maxFieldBytes} bytes`);
      else form.fields.push([name, value]);
    });
    parser.on('file', (name: string | undefined, stream, { filename, mimeType: type }) => {
      if (name === undefined) refuse('a part has no name');
      const file = readFile(stream, { name: name ?? '', filename: filename ?? null, type }, keptBytes);
      file.catch(error => refuse(messageOf(error)));
      files.push(file);
    });
    parser.on('partsLimit', () => refuse(`it has more than ${maxParts} parts`));
    parser.on('error', error => refuse(messageOf(error)));
    parser.on('close', resolve);
    request.once('close', () => {
      if (!request.complete) reject(new Error('The client closed the connection during its upload.'));
    });
  });
  request.pipe(parser);
  try {
    await closed;
    form.files = await Promise.all(files);
    return form;
  } finally {
    request.unpipe(parser);
    request.resume();
  }
}

/** Reads a file and keeps its first `keptBytes`. `part` is what is known of it. */
export async function readFile<T extends Pick<UploadedFile, 'type'>>(
  stream: Readable,
  part: T,
  keptBytes: number,
): Promise<T & UploadedFile> {
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (bytes < keptBytes) kept.push(Buffer.from(chunk.subarray(0, keptBytes - bytes)));
    bytes += chunk.length;
    hash.update(chunk);
  }
  return { ...part, bytes, sha256: hash.digest('hex'), head: Buffer.concat(kept) };
}

function createParser({ headers }: IncomingMessage): Busboy {
  const type = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(type))
    throw new ApiError(400, "The content type must be 'multipart/form-data'.", 'unsupported_content_type');
  const limits = { parts: maxParts, fieldSize: maxFieldBytes };
  try {
    return busboy({ headers, limits, defParamCharset: 'utf8' });
  } catch {
    throw malformed('the content type has no boundary');
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'it is malformed';
}

function malformed(reason: string): ApiError {
  return new ApiError(400, `Could not parse multipart form: ${reason}.`);
}
