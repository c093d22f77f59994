import { type Edit, type OperationRequest, spliceTopLevel } from '@model-gateway/canonical';
import type { EncodeInput } from './dialect.ts';
import { JsonBody } from './json-body.ts';

/** The client's own text, with the upstream's model and without the fields that the model does not take. */
export function ownText({ text, model, drop }: EncodeInput<OperationRequest>): Buffer {
  const edits = new Map<string, Edit>(drop.map(field => [field, null]));
  edits.set('model', JSON.stringify(model));
  return spliceTopLevel(text ?? Buffer.from('{}'), edits);
}

/** A body that was written for an upstream, without the fields that the model does not take. */
export function writtenBody(
  { drop }: Pick<EncodeInput<OperationRequest>, 'drop'>,
  body: Record<string, unknown>,
): JsonBody {
  const dropped = Object.fromEntries(Object.entries(body).filter(([field]) => !drop.includes(field)));
  return new JsonBody(dropped);
}
