import { type DestinationStream, type Logger, pino, transport } from 'pino';
import { networkOf } from './request-headers.ts';
import type { Settings } from './settings.ts';

export type Log = Logger;

const secrets = [
  'authorization',
  'apiKey',
  'secret',
  'password',
  'cookie',
  '["x-api-key"]',
  '["x-goog-api-key"]',
  '["xi-api-key"]',
];

/** The most bytes of lines that wait to be written, as many as a pipe of Linux holds, and the longest time that they wait, in milliseconds. */
const maxUnwritten = 64 * 1024;
const flushMs = 100;
/** The most bytes of a UTF-16 code unit in UTF-8. */
const maxCharacter = 3;

/** Creates a log of JSON lines on stdout, coloured on a terminal. Fields that may be secret are redacted. */
export function createLog(name: string, level: string): Log {
  return pino(
    {
      name,
      level,
      redact: {
        paths: secrets.flatMap(field => [join(field), join(field, '*'), join(field, 'headers')]),
        censor: '[secret]',
      },
      serializers: { err: withoutValues },
    },
    destination(),
  );
}

/** An error of a statement of the database. Its message holds the values, which may be hashes of passwords or texts of requests. */
interface StatementError extends Error {
  query: string;
  params: unknown[];
}

/** Serializes an error without the values of statements. */
function withoutValues(error: Error): object {
  const serialized: object = pino.stdSerializers.err(error);
  const values = valuesIn(error);
  if (values.length === 0) return serialized;
  const clean = (text: string) => values.reduce((left, each) => left.replaceAll(each, ''), text);
  return Object.fromEntries(
    Object.entries(serialized)
      .filter(([field]) => field !== 'params')
      .map(([field, value]) => [field, typeof value === 'string' ? clean(value) : value]),
  );
}

/** Returns the parts of messages that hold values, of an error and its causes. */
function valuesIn(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { query, params } = error as Partial<StatementError>;
  const own = typeof query === 'string' && Array.isArray(params) ? [`\nparams: ${params}`] : [];
  return [...own, ...valuesIn(error.cause)];
}

/** A destination that takes bytes, which the type of `pino.destination` does not state. */
type ByteDestination = Pick<ReturnType<typeof pino.destination>, 'flush' | 'flushSync' | 'on'> & {
  write(bytes: unknown): boolean;
};

function destination(): DestinationStream & { flush?: (done: () => void) => void } {
  if (process.stdout.isTTY) return transport({ target: 'pino-pretty', options: { ignore: 'pid,hostname' } });
  // With a `minLength`, lines that wait are written before the process ends: without one, a write that has begun may be lost.
  const stdout: ByteDestination = pino.destination({
    fd: 1,
    sync: false,
    contentMode: 'buffer',
    minLength: maxUnwritten,
    maxWrite: 2 * maxUnwritten,
  });
  let isWriting = false;
  let holds = false;
  const lines = new JoinedLines(bytes => {
    stdout.write(bytes);
    // While it writes, it flushes nothing, and holds these bytes until the next flush.
    if (isWriting) holds = true;
    else {
      isWriting = true;
      stdout.flush();
    }
  });
  // A callback of `flush` would cost an `fsync` each time.
  stdout.on('drain', () => {
    isWriting = holds;
    if (holds) stdout.flush();
    holds = false;
  });
  process.on('exit', () => {
    stdout.write(lines.take());
    stdout.flushSync();
  });
  return {
    write: line => lines.write(line),
    flush(done) {
      stdout.write(lines.take());
      stdout.flush(done);
    },
  };
}

/**
 * Joins lines: a write for each would take a twentieth of the CPU time of a small request. The destination's own buffer is not used,
 * since it measures its whole text at each line, and its `periodicFlush` would wake an idle process ten times a second. Lines wait as
 * bytes, which the garbage collector does not move.
 */
class JoinedLines {
  readonly #out: (bytes: Buffer) => void;
  readonly #bytes = Buffer.allocUnsafeSlow(maxUnwritten);
  #length = 0;
  #isDue = false;

  constructor(out: (bytes: Buffer) => void) {
    this.#out = out;
  }

  write(line: string): void {
    const most = maxCharacter * line.length;
    if (this.#length + most > maxUnwritten) this.#flush();
    if (most > maxUnwritten) return this.#out(Buffer.from(line));
    this.#length += this.#bytes.write(line, this.#length);
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      this.#flush();
    }, flushMs).unref();
  }

  /** Returns the lines that wait, and forgets them. */
  take(): Buffer {
    const bytes = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return bytes;
  }

  #flush(): void {
    if (this.#length > 0) this.#out(this.take());
  }
}

function join(field: string, parent = ''): string {
  return parent && !field.startsWith('[') ? `${parent}.${field}` : `${parent}${field}`;
}

/** Returns a client's address as it may be logged; undefined if it may not. */
export type LoggedAddress = (address: string) => string | undefined;

/** Returns the form in which addresses are logged. */
export function loggedAddress(form: Settings<'LOG_CLIENT'>['LOG_CLIENT']): LoggedAddress {
  switch (form) {
    case 'address':
      return address => address;
    case 'network':
      return networkOf;
    case 'none':
      return () => undefined;
  }
}
