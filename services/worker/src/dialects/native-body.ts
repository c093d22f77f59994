import type { OperationRequest } from '@model-gateway/canonical';
import { type Edit, spliceTopLevel } from '@model-gateway/json';
import type { EncodeInput } from './dialect.ts';
import { JsonBody } from './json-body.ts';

/** Returns the client's JSON with the upstream's model, without the fields that the model does not accept. */
export function nativeBody({ text, model, drop }: EncodeInput<OperationRequest>): Buffer {
  const edits = new Map<string, Edit>(drop.map(field => [field, null]));
  edits.set('model', JSON.stringify(model));
  return spliceTopLevel(text ?? Buffer.from('{}'), edits);
}

/** Returns a translated body without the fields that the model does not accept. */
export function writtenBody({ drop }: Pick<EncodeInput<OperationRequest>, 'drop'>, body: object): JsonBody {
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
