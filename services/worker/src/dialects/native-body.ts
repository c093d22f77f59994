import { type Edit, type OperationRequest, spliceTopLevel } from '@model-gateway/canonical';
import type { EncodeInput } from './dialect.ts';
import { JsonBody } from './json-body.ts';

/** Returns the client's JSON with the upstream's model, without the fields that the model does not accept. */
export function nativeBody({ text, model, drop }: EncodeInput<OperationRequest>): Buffer {
  const edits = new Map<string, Edit>(drop.map(field => [field, null]));
  edits.set('model', JSON.stringify(model));
  return spliceTopLevel(text ?? Buffer.from('{}'), edits);
}

/** Returns a translated body without the fields that the model does not accept. */
export function writtenBody(
  { drop }: Pick<EncodeInput<OperationRequest>, 'drop'>,
  body: Record<string, unknown>,
): JsonBody {
  const dropped = Object.fromEntries(Object.entries(body).filter(([field]) => !drop.includes(field)));
  return new JsonBody(dropped);
}
