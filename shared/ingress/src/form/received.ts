import { type Form, type FormFile, GatewayError } from '@model-gateway/canonical';
import type { Turn } from '@model-gateway/json';
import type { Reservation } from '../memory/budgets.ts';
import type { Spool } from './spool.ts';

/** The memory for the files that are read. */
interface Room {
  memory: Reservation;
  /** In bytes. */
  limit: number;
}

/** A parsed form; the bytes of its files are in a spool, one file after the other. */
export class ReceivedForm implements Form {
  readonly fields: Form['fields'];
  readonly files: readonly FormFile[] & FormFile[];
  readonly #spool: Spool;
  readonly #room: Room;
  #read = 0;

  constructor({ fields, files }: Form, spool: Spool, room: Room) {
    this.fields = fields;
    this.files = files;
    this.#spool = spool;
    this.#room = room;
  }

  /** Returns the last value of a field; undefined if it is absent or empty. */
  field(name: string): string | undefined {
    return this.fields.findLast(([fieldName]) => fieldName === name)?.[1] || undefined;
  }

  /** Gives a field one value, in place of all that it has. */
  set(name: string, value: string): void {
    const others = this.fields.filter(([fieldName]) => fieldName !== name);
    this.fields.splice(0, this.fields.length, ...others, [name, value]);
  }

  /** Returns the files of a field that may have several names. */
  filesOf(...names: string[]): FormFile[] {
    return this.files.filter(({ name }) => names.includes(name));
  }

  /** Yields the bytes of all files, one after the other; may be called more than once. */
  bytes(): AsyncGenerator<Uint8Array, void> {
    return this.#spool.read(0, this.#spool.size);
  }

  /** Reads a file into memory. @throws GatewayError `too-large` if all files read exceed the limit */
  async read(file: FormFile): Promise<Buffer> {
    const { memory, limit } = this.#room;
    this.#read += file.size;
    if (this.#read > limit) throw tooLargeForMemory(limit);
    memory.take(file.size);
    return this.#bytesOf(file, file.size);
  }

  /** Reads the first bytes of a file, at most `length`. */
  begin(file: FormFile, length: number): Promise<Buffer> {
    return this.#bytesOf(file, Math.min(length, file.size));
  }

  async #bytesOf(file: FormFile, length: number): Promise<Buffer> {
    const before = this.files.slice(0, this.files.indexOf(file));
    const from = before.reduce((sum, { size }) => sum + size, 0);
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#spool.read(from, from + length)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Returns the form as JSON, without the bytes of its files. */
  text(): Buffer {
    return Buffer.from(JSON.stringify({ fields: this.fields, files: this.files } satisfies Form));
  }

  close(): Promise<void> {
    return this.#spool.close();
  }
}

function tooLargeForMemory(limit: number): GatewayError {
  const most = `${Math.floor(limit / 1_000_000)} MB`;
  return new GatewayError(
    'too-large',
    `The files are larger than ${most}, the limit for this model's provider.`,
  );
}

/** A request's body as the client sent it. `turn` separates the steps of work on a large one. */
export type ClientBody =
  | { type: 'text'; text: Buffer; turn: Turn }
  | { type: 'form'; form: ReceivedForm; turn: Turn };
