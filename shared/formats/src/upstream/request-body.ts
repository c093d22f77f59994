import {
  type FormatFields,
  GatewayError,
  type GenerateRequest,
  type OpaquePart,
  type PlainBody,
  type PlainField,
  type PlainFields,
} from '@model-gateway/canonical';
import {
  type Edit,
  JsonTooLargeError,
  memberText,
  spliceTopLevel,
  type Turn,
  type WriteBounds,
  writeInSteps,
} from '@model-gateway/json';
import type { FormatDifferences } from '@model-gateway/providers';

/** A JSON body that is serialized when it is sent; a large one in steps. */
export class JsonBody {
  readonly #value: object;

  constructor(value: object) {
    this.#value = value;
  }

  /** Returns the body with more top-level fields. */
  with(fields: object): JsonBody {
    return new JsonBody({ ...this.#value, ...fields });
  }

  /** Serializes the body at once. */
  bytes(): Buffer {
    return Buffer.from(this.toString());
  }

  /** Serializes the body to the same bytes in steps. @throws GatewayError of kind `too-large` over the limit; what the signal throws */
  async bytesInSteps(turn: Turn, bounds?: Pick<WriteBounds, 'limit' | 'signal'>): Promise<Buffer> {
    const pieces = await writeInSteps(this.#value, turn, bounds).catch(thrown => {
      throw thrown instanceof JsonTooLargeError ? tooLargeWritten(thrown.limit) : thrown;
    });
    if (pieces.length === 1) return pieces[0] as Buffer;
    await turn();
    return Buffer.concat(pieces);
  }

  toString(): string {
    return JSON.stringify(this.#value);
  }
}

export function tooLargeWritten(limit: number): GatewayError {
  const message = `The request is larger than ${Math.round(limit / 1e5) / 10} MB when it is written for the model's provider. Send a smaller one.`;
  return new GatewayError('too-large', message);
}

/** A client's JSON for an upstream of the same format. */
interface NativeRequest {
  text: Buffer;
  /** The model's name at the upstream. */
  model: string;
  /** Fields that the model does not accept. */
  drop: readonly string[];
  differences?: FormatDifferences | undefined;
}

/** Returns the client's JSON with the upstream's model and names, without the fields that the model does not accept. */
export function nativeBody(request: NativeRequest): Buffer {
  return spliceTopLevel(request.text, nativeEdits(request));
}

/** Returns the edits of {@link nativeBody}, by field. */
export function nativeEdits({ text, model, drop, differences }: NativeRequest): Map<string, Edit> {
  const edits = new Map<string, Edit>(drop.map(field => [field, null]));
  edits.set('model', JSON.stringify(model));
  for (const [field, name] of Object.entries(differences?.renames ?? {})) {
    const value = edits.has(field) ? undefined : memberText(text, field);
    if (value === undefined) continue;
    edits.set(field, null);
    // The client may have sent both names.
    edits.set(name, value);
  }
  return edits;
}

/** Returns a translated body with the upstream's names, without the fields that the model does not accept. */
export function writtenBody(
  { drop, differences }: Pick<NativeRequest, 'drop' | 'differences'>,
  body: object,
): JsonBody {
  const fields = withoutDropped(body, drop);
  return new JsonBody(differences?.renames ? renamed(fields, differences.renames) : fields);
}

/** Returns the plain fields of a canonical request that are set, as the format names them. */
export function writePlain<T extends PlainFields>(
  { plain }: Pick<FormatFields<T>, 'plain'>,
  request: GenerateRequest,
): PlainBody<T, never> {
  const written: Record<string, unknown> = {};
  for (const canonical in plain) {
    const value = request[canonical as PlainField<T>];
    if (value !== undefined) written[plain[canonical] as string] = value;
  }
  return written as PlainBody<T, never>;
}

function renamed(fields: object, renames: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [renames[field] ?? field, value]));
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
