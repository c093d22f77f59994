import { GatewayError } from '@model-gateway/canonical';
import type { ResponsesRequest } from '@model-gateway/wire';
import { invalid } from '../invalid.ts';

/** @throws GatewayError for a request that refers to what is kept of others, or wants to be kept itself: nothing is */
export function refuseStored({
  previous_response_id: previous,
  conversation,
  background,
  input,
}: ResponsesRequest): void {
  if (previous)
    throw invalid(
      'previous_response_id',
      `Previous response with id '${previous}' not found.`,
      'previous_response_not_found',
    );
  if (conversation) {
    const id = typeof conversation === 'string' ? conversation : conversation.id;
    const message = `Conversation with id '${id}' not found.`;
    throw new GatewayError('not-found', message, { param: 'conversation' });
  }
  if (background)
    throw invalid(
      'background',
      "Unsupported parameter: 'background' is not supported; ask for a stream instead.",
      'unsupported_parameter',
    );
  if (Array.isArray(input)) for (const [i, item] of input.entries()) refuseReference(item, i);
}

function refuseReference({ type, role, id }: Record<string, unknown>, i: number): void {
  if (type !== 'item_reference' && (type || role || !id)) return;
  const message = `Item with id '${id}' not found. Items are not kept: send the item itself.`;
  throw invalid(`input[${i}].id`, message, 'invalid_value');
}
