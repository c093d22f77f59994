import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import {
  ambiguousKey,
  type Form,
  type FormFile,
  GatewayError,
  type KnownFields,
  toGatewayError,
} from '@model-gateway/canonical';
import busboy from 'busboy';
import { decoded, discard } from '../body.ts';
import { type BodyLimits, BodyWatch, tooLarge } from '../body-watch.ts';
import { ReceivedForm } from './received.ts';
import { Spool, type SpoolOptions } from './spool.ts';

/** The most fields of a form. */
export const mostFields = 200;
/** The most files of a form. */
export const mostFiles = 32;
/** The longest field, in bytes. */
export const fieldBytes = 4 * 1024 * 1024;
/** The most characters of all fields together, as JSON: so they are in memory, here and at the worker. */
export const allFieldsCharacters = 16 * 1024 * 1024;
/** The longest name of a part, in characters. */
export const nameCharacters = 200;
/** The longest file name, in characters. */
export const filenameCharacters = 1_000;

const limits = {
  fields: mostFields,
  files: mostFiles,
  fieldSize: fieldBytes,
  // The parser tells of the last part that is allowed as of one too many.
  parts: mostFields + mostFiles + 1,
};

export interface FormLimits {
  upload: BodyLimits;
  /** The most bytes of its files that may be in memory. */
  memoryBytes: number;
}

/**
 * Reads a form; whoever gets it must close it.
 * @throws GatewayError `too-large` over a limit, `timeout` where it comes too slowly, `invalid-request` for what cannot be read, `overloaded` where there is no
 * room for it, `cancelled` if the client leaves, and what `over` aborts with
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
    discard(request);
    await spool.close();
    throw toGatewayError(thrown);
  }
}

/** One form, as its bytes come. */
class FormReader {
  readonly #request: IncomingMessage;
  readonly #limits: BodyLimits;
  readonly #spool: Spool;
  readonly #memory: SpoolOptions['memory'];
  readonly #form: Form = { fields: [], files: [] };
  readonly #over = Promise.withResolvers<void>();
  /** Files are kept one after the other, as they came. */
  #kept: Promise<unknown> = Promise.resolve();
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
      await this.#kept;
    } catch (thrown) {
      source.unpipe(parser);
      parser.destroy(thrown as Error);
      if (isCompressed) source.destroy();
      await this.#kept.catch(() => {});
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
      // An error of the whole is told of the parser.
      stream.on('error', () => {});
      this.#guard(() => this.#file({ name, filename, mediaType: mimeType, size: 0 }, stream));
    });
    parser.on('fieldsLimit', () => this.#fail(tooMany(mostFields, 'fields')));
    parser.on('filesLimit', () => this.#fail(tooMany(mostFiles, 'files')));
    parser.on('partsLimit', () => this.#fail(tooMany(limits.parts - 1, 'parts')));
    parser.on('error', error => this.#fail(malformed('is not a whole form', error)));
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
    this.#kept = this.#kept.then(() => this.#keep(file, stream));
    this.#kept.catch(error => this.#fail(error));
  }

  async #keep(file: FormFile, stream: Readable): Promise<void> {
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
    throw malformed('names no boundary in its content type', cause);
  }
}

/** The parser gives no name where a part has none. */
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

/** @throws GatewayError for a file in another field than those that `takes` knows, which are called `names` */
export function refuseMisplaced(
  { files }: Pick<Form, 'files'>,
  takes: (name: string) => boolean,
  names: readonly string[],
): void {
  const stray = files.find(({ name }) => !takes(name));
  if (!stray) return;
  const places = names.map(name => `'${name}'`).join(', ');
  const message = `Invalid '${stray.name}': no file is taken there. Files are for: ${places}.`;
  throw new GatewayError('invalid-request', message, { param: stray.name, code: 'unknown_parameter' });
}

/** @throws GatewayError for a form whose parts have names that may be taken for each other, or for another field */
export function refuseAmbiguous({ fields, files }: Form, known: KnownFields): void {
  // A name may come several times: lists are written so.
  const names = new Set([...fields.map(([name]) => name), ...files.map(({ name }) => name)]);
  const ambiguous = ambiguousKey([...names], known);
  if (!ambiguous) return;
  const { key: param, words } = ambiguous;
  throw new GatewayError('invalid-request', `The form ${words}.`, { param, code: 'invalid_value' });
}
