import { exactMembers, type GenerateRequest } from '@model-gateway/canonical';
import { invalidRequest } from '@model-gateway/ingress';
import { type ResponsesRequest, responsesRequest, responsesTranslatable } from '@model-gateway/wire';
import { invalid } from '../invalid.ts';
import { parseGenerate } from '../request/parse.ts';
import { refuseStored } from '../stored/parse.ts';
import type { ToolNames } from '../tools/names.ts';

/** Members in which numbers are the client's own, and of any length. */
const exact = ['tools', 'text'];

/** A body as far as every upstream needs it to be right. @throws GatewayError of kind `invalid-request` */
export function readBody(body: Record<string, unknown>): ResponsesRequest {
  const data = checkBody(body);
  refuseStored(data);
  if (data.input == null && !data.prompt)
    throw invalid('input', "Missing required parameter: 'input'.", 'missing_required_parameter');
  return data;
}

/** A body of which each field has its type. @throws GatewayError of kind `invalid-request` */
export function checkBody(body: Record<string, unknown>): ResponsesRequest {
  const { success, data, error } = responsesRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  return data;
}

/**
 * The request in no format; `names` learns its tools. `text` is the body's own, where its numbers are as the client wrote
 * them. @throws GatewayError of kind `invalid-request`
 */
export function translate(
  body: Record<string, unknown>,
  text: Buffer | undefined,
  names: ToolNames,
): GenerateRequest {
  const { success, data, error } = responsesTranslatable.safeParse({ ...body, ...exactly(body, text) });
  if (!success) throw invalidRequest(error, body);
  return parseGenerate(data, names);
}

function exactly(body: Record<string, unknown>, text: Buffer | undefined): Record<string, unknown> {
  const given = exact.filter(key => body[key] != null);
  return text && given.length > 0 ? exactMembers(text.toString(), given) : {};
}
