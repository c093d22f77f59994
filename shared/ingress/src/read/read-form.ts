import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { type Form, type FormFile, GatewayError, toGatewayError } from '@model-gateway/canonical';
import { ambiguousKey, type KnownFields } from '@model-gateway/json';
import busboy from 'busboy';
import { ReceivedForm } from '../form/received.ts';
import { Spool, type SpoolOptions } from '../form/spool.ts';
import { type BodyLimits, BodyWatch, decoded, discard, tooLarge } from './body.ts';

export const mostFields = 200;
export const mostFiles = 32;
/** The longest field, in bytes. */
export const fieldBytes = 4 * 1024 * 1024;
/**
 * The most characters of all fields together, as JSON, which is their form in memory here and at the worker. Both write and parse
 * them at once.
 */
export const allFieldsCharacters = 6 * 1024 * 1024;
export const nameCharacters = 200;
export const filenameCharacters = 1_000;

const limits = {
  fields: mostFields,
  files: mostFiles,
  fieldSize: fieldBytes,
  // The parser reports the limit at the last allowed part.
  parts: mostFields + mostFiles + 1,
};

export interface FormLimits {
  upload: BodyLimits;
  /** The most bytes of the form's files in memory. */
  memoryBytes: number;
}

/**
 * Reads a form; the caller must close it.
 * @throws GatewayError `too-large` over a limit, `timeout` if it arrives too slowly, `invalid-request` if it is
 * malformed, `overloaded` if there is no room, `rate-limited` if the token's share is used up, `cancelled` if the
 * client closes the connection, and the reason of `over`
 */
export async function readForm(
  request: IncomingMessage,
  { upload, memoryBytes }: FormLimits,
  options: SpoolOptions,
  over: AbortSignal,
): Promise<ReceivedForm> {
  const spool = new Spool(options);
  const { memory } = options;
  try {
    if (Number(request.headers['content-length'] ?? 0) > upload.bytes) throw tooLarge(upload.bytes);
    const form = await new FormReader(request, upload, spool, memory).read(over);
    return new ReceivedForm(form, spool, { memory, limit: memoryBytes });
  } catch (thrown) {
    discard(request, upload.clock);
    await spool.close();
    throw toGatewayError(thrown);
  }
}

/** Parses one form while its bytes arrive. */
class FormReader {
  readonly #request: IncomingMessage;
  readonly #limits: BodyLimits;
  readonly #spool: Spool;
  readonly #memory: SpoolOptions['memory'];
  readonly #form: Form = { fields: [], files: [] };
  readonly #over = Promise.withResolvers<void>();
  /** Resolves when all files so far are stored; they are stored one after the other. */
  #stored: Promise<unknown> = Promise.resolve();
  #characters = 0;

  constructor(request: IncomingMessage, limits: BodyLimits, spool: Spool, memory: SpoolOptions['memory']) {
    this.#request = request;
    this.#limits = limits;
    this.#spool = spool;
    this.#memory = memory;
  }

  async read(over: AbortSignal): Promise<Form> {
    over.addEventListener('abort', () => this.#fail(over.reason));
    const parser = this.#parser();
    const source = decoded(this.#request);
    const isCompressed = source !== this.#request;
    const watch = new BodyWatch(this.#request, this.#limits, isCompressed, error => this.#fail(error));
    this.#watch(source, watch);
    source.pipe(parser);
    try {
      await this.#over.promise;
      await this.#stored;
    } catch (thrown) {
      source.unpipe(parser);
      parser.destroy(thrown as Error);
      if (isCompressed) source.destroy();
      await this.#stored.catch(() => {});
      throw thrown;
    } finally {
      watch.stop();
    }
    return this.#form;
  }

  #watch(source: Readable, watch: BodyWatch): void {
    const left = () => this.#fail(new GatewayError('cancelled', 'The client left.'));
    source.on('data', (chunk: Buffer) => this.#guard(() => watch.add(chunk.length)));
    this.#request.on('error', left);
    this.#request.on('close', () => {
      if (!this.#request.complete) left();
    });
    if (source !== this.#request)
      source.on('error', cause => this.#fail(malformed('could not be decompressed', cause)));
  }

  #parser(): busboy.Busboy {
    const parser = createParser(this.#request);
    parser.on('field', (name, value, { valueTruncated }) => {
      this.#guard(() => this.#field(name, value, valueTruncated));
    });
    parser.on('file', (name, stream, { filename = '', mimeType }) => {
      // The parser reports the error of the whole form.
      stream.on('error', () => {});
      this.#guard(() => this.#file({ name, filename, mediaType: mimeType, size: 0 }, stream));
    });
    parser.on('fieldsLimit', () => this.#fail(tooMany(mostFields, 'fields')));
    parser.on('filesLimit', () => this.#fail(tooMany(mostFiles, 'files')));
    parser.on('partsLimit', () => this.#fail(tooMany(limits.parts - 1, 'parts')));
    parser.on('error', error => this.#fail(malformed('is incomplete or malformed', error)));
    parser.on('close', () => this.#over.resolve());
    return parser;
  }

  #field(name: string | undefined, value: string, truncated: boolean): void {
    checkName(name);
    if (truncated) throw tooLong(`'${name}'`, `${fieldBytes} bytes`, name);
    const { length } = JSON.stringify(value);
    this.#characters += length;
    if (this.#characters > allFieldsCharacters)
      throw malformed(`has more than ${allFieldsCharacters} characters in its fields`);
    this.#memory.take(length);
    this.#form.fields.push([name, value]);
  }

  #file(file: FormFile, stream: Readable): void {
    const { name, filename } = file;
    checkName(name);
    if (filename.length > filenameCharacters)
      throw tooLong(`the file name of '${name}'`, `${filenameCharacters} characters`, name);
    this.#form.files.push(file);
    this.#stored = this.#stored.then(() => this.#store(file, stream));
    this.#stored.catch(error => this.#fail(error));
  }

  async #store(file: FormFile, stream: Readable): Promise<void> {
    for await (const chunk of stream) {
      await this.#spool.append(chunk as Buffer);
      file.size += chunk.length;
    }
  }

  #guard(read: () => void): void {
    try {
      read();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #fail(error: unknown): void {
    this.#over.reject(error);
  }
}

function createParser({ headers }: IncomingMessage): busboy.Busboy {
  try {
    return busboy({ headers, limits, defParamCharset: 'utf8' });
  } catch (cause) {
    throw malformed('has no boundary in its Content-Type', cause);
  }
}

/** The parser passes undefined if a part has no name. */
function checkName(name: string | undefined): asserts name is string {
  if (name === undefined) throw malformed('has a part without a name');
  if (name.length > nameCharacters)
    throw tooLong('the name of a part', `${nameCharacters} characters`, name.slice(0, nameCharacters));
}

function malformed(why: string, cause?: unknown): GatewayError {
  const details = { code: 'invalid_multipart_form_data' };
  return new GatewayError('invalid-request', `The multipart form ${why}.`, details, { cause });
}

function tooMany(most: number, what: string): GatewayError {
  return malformed(`has more than ${most} ${what}`);
}

function tooLong(what: string, limit: string, param: string): GatewayError {
  const details = { param, code: 'string_above_max_length' };
  return new GatewayError('invalid-request', `Invalid form: ${what} is longer than ${limit}.`, details);
}

/** @throws GatewayError if the names of parts could be confused with each other or with a known field */
export function refuseAmbiguous({ fields, files }: Form, known: KnownFields): void {
  // Names may repeat, since lists are sent so.
  const names = new Set([...fields.map(([name]) => name), ...files.map(({ name }) => name)]);
  const ambiguous = ambiguousKey([...names], known);
  if (!ambiguous) return;
  const { key: param, words } = ambiguous;
  throw new GatewayError('invalid-request', `The form ${words}.`, { param, code: 'invalid_value' });
}
