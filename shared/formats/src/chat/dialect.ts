import { renamePath } from '@model-gateway/canonical';
import type { Dialect, GenerateInput } from '../upstream/dialect.ts';
import { findTool, namesByWire } from '../upstream/tools.ts';
import {
  decodeBody,
  decodeEvents,
  decodeFailure,
  decodeStream,
  type StreamOutput,
  WholeDecoder,
} from './decode.ts';
import type { ChoicesOptions } from './decode-parts.ts';
import { encode, requestedChoices, requestsUsage } from './encode.ts';
import { chatFields } from './fields.ts';

/** Chat completions of OpenAI and compatible upstreams. */
export const chatDialect: Dialect = {
  format: 'chat',
  bodies: ['verbatim', 'canonical'],
  choices: 'many',
  encode,
  decodeStream: input => decodeStream(streamOutput(input)),
  decodeWhole: () => new WholeDecoder(),
  decodeEvents: input => decodeEvents(choicesOptions(input)),
  decodeBody: (body, input) => decodeBody(body, choicesOptions(input)),
  decodeFailure,
  pathOf: param => renamePath(param, chatFields.paths),
};

function streamOutput(input: GenerateInput): StreamOutput {
  if (input.body === 'canonical') return choicesOptions(input);
  const { text } = input;
  return { showUsage: requestsUsage(text), wantsOne: () => requestedChoices(text) === 1 };
}

function choicesOptions(input: GenerateInput): ChoicesOptions {
  const request = input.body === 'canonical' ? input.request : undefined;
  const names = namesByWire(request?.tools);
  return {
    toolName: wire => findTool(names, wire) ?? wire,
    ...(names.size > 0 && { isTool: wire => findTool(names, wire) !== undefined }),
    seed: input.envelope.requestId,
    history: request?.messages ?? [],
    stop: request?.stop ?? [],
    signedBefore: request?.signaturesBefore ?? false,
    choices: input.body === 'canonical' ? (input.request.n ?? 1) : requestedChoices(input.text),
  };
}
