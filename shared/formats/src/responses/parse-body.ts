import { GatewayError, type GenerateRequest } from '@model-gateway/canonical';
import { exactMembers } from '@model-gateway/json';
import { invalidRequest } from '../client/invalid.ts';
import { invalid } from './invalid.ts';
import { parseGenerate } from './parse-request.ts';
import { type ResponsesRequest, responsesRequest, responsesTranslatable } from './request.ts';
import type { ToolNames } from './tool-names.ts';

/** Members whose numbers keep the client's spelling and precision. */
const exact = ['tools', 'text'];

/** Validates what every upstream requires of a body. @throws GatewayError of kind `invalid-request` */
export function readBody(body: Record<string, unknown>): ResponsesRequest {
  const data = checkBody(body);
  refuseStored(data);
  if (data.input == null && !data.prompt)
    throw invalid('input', "Missing required parameter: 'input'.", 'missing_required_parameter');
  return data;
}

/** Validates the types of a body's fields. @throws GatewayError of kind `invalid-request` */
export function checkBody(body: Record<string, unknown>): ResponsesRequest {
  const { success, data, error } = responsesRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  return data;
}

/**
 * Parses the canonical request and registers its tools in `names`. `exact` holds the members of {@link
 * exactKeys}.
 * @throws GatewayError of kind `invalid-request`
 */
export function translate(
  body: Record<string, unknown>,
  exact: Record<string, unknown>,
  names: ToolNames,
): GenerateRequest {
  const { success, data, error } = responsesTranslatable.safeParse({ ...body, ...exact });
  if (!success) throw invalidRequest(error, body);
  return parseGenerate(data, names);
}

/** Returns the members whose numbers keep the client's spelling. Empty if the body's text is unknown. */
export function exactKeys(body: Record<string, unknown>, text: Buffer | undefined): string[] {
  return text ? exact.filter(key => body[key] != null) : [];
}

/** Parses the members `keys` of a body with exact numbers. */
export function exactly(keys: readonly string[], text: Buffer | undefined): Record<string, unknown> {
  return text && keys.length > 0 ? exactMembers(text.toString(), keys) : {};
}

/**
 * @throws GatewayError for a request that needs the response store: references to it must be resolved before
 */
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
      "Unsupported parameter: 'background' is not supported; use 'stream' instead.",
      'unsupported_parameter',
    );
  if (Array.isArray(input)) for (const [i, item] of input.entries()) refuseReference(item, i);
}

function refuseReference({ type, role, id }: Record<string, unknown>, i: number): void {
  if (type !== 'item_reference' && (type || role || !id)) return;
  const message = `Item with id '${id}' not found. Items are not stored: send the item itself.`;
  throw invalid(`input[${i}].id`, message, 'invalid_value');
}
