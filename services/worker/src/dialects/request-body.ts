import type { OpaquePart } from '@model-gateway/canonical';
import { type Edit, spliceTopLevel, type Turn, writeInSteps } from '@model-gateway/json';

/** A JSON body that is serialized when it is sent; a large one in steps. */
export class JsonBody {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  /** Serializes the body at once. */
  bytes(): Buffer {
    return Buffer.from(this.toString());
  }

  /** Serializes the body to the same bytes in steps. */
  async bytesInSteps(turn: Turn): Promise<Buffer> {
    const pieces = await writeInSteps(this.#value, turn);
    if (pieces.length === 1) return pieces[0] as Buffer;
    await turn();
    return Buffer.concat(pieces);
  }

  toString(): string {
    return JSON.stringify(this.#value);
  }
}

/** A client's JSON for an upstream of the same format. */
interface NativeRequest {
  text: Buffer;
  /** The model's name at the upstream. */
  model: string;
  /** Fields that the model does not accept. */
  drop: readonly string[];
}

/** Returns the client's JSON with the upstream's model, without the fields that the model does not accept. */
export function nativeBody({ text, model, drop }: NativeRequest): Buffer {
  const edits = new Map<string, Edit>(drop.map(field => [field, null]));
  edits.set('model', JSON.stringify(model));
  return spliceTopLevel(text, edits);
}

/** Returns a translated body without the fields that the model does not accept. */
export function writtenBody({ drop }: Pick<NativeRequest, 'drop'>, body: object): JsonBody {
  return new JsonBody(withoutDropped(body, drop));
}

/** Returns the fields that the model accepts. */
export function withoutDropped<T extends object>(fields: T, drop: readonly string[]): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !drop.includes(field))) as Partial<T>;
}

/** Returns the fields that are set: the others must not hide a client's fields of the same name. */
export function withoutUndefined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/**
 * Returns a copy of a client's block, tool or item of the upstream's own format as the type `T` that stands there: it is
 * forwarded with all its fields, which only the upstream knows.
 */
export function forwarded<T>(value: Record<string, unknown>): T {
  return { ...value } as unknown as T;
}

/** Returns a copy of a client's JSON object; any other value has no members. */
export function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Fields that only the vendor uses: signatures, encrypted data and cache breakpoints. */
const vendorFields = /^(encrypted_|cache_control$|signature$)/;

/** Returns a block that only another format has as JSON text, without fields that only its vendor uses. */
export function opaqueText({ value }: OpaquePart): string {
  return JSON.stringify(value, (key, inner) => (vendorFields.test(key) ? undefined : inner));
}
