import type { Dialect, EncodeInput } from '../dialect.ts';
import { toolName } from '../openai-chat/tool/name.ts';
import { decodeBody, decodeFailure, StreamDecoder, WholeDecoder } from './decode.ts';
import { encode } from './encode.ts';
import type { ItemsOptions } from './items/decode.ts';

/** Responses, as OpenAI and those compatible with it speak it. */
export const openaiResponses: Dialect = {
  format: 'responses',
  operations: ['generate', 'count-tokens'],
  choices: 'one',
  encode,
  decodeStream: input => new StreamDecoder(input.request ? itemsOptions(input) : { verbatim: true }),
  decodeWhole: () => new WholeDecoder(),
  decodeBody: (body, input) => decodeBody(body, itemsOptions(input)),
  decodeFailure,
};

function itemsOptions({ text, request, envelope }: EncodeInput): ItemsOptions {
  const names = new Map<string, string>();
  for (const tool of request?.tools ?? []) if ('name' in tool) names.set(toolName(tool.name), tool.name);
  return {
    toolName: wire => names.get(wire) ?? wire,
    seed: envelope.requestId,
    own: text !== undefined,
  };
}
