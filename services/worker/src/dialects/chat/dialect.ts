import { memberText } from '@model-gateway/json';
import type { Dialect, EncodeInput } from '../dialect.ts';
import { toolName } from '../tool-names.ts';
import { decodeBody, decodeFailure, decodeStream, type StreamOutput, WholeDecoder } from './decode.ts';
import type { ChoicesOptions } from './decode-choices.ts';
import { encode, requestsUsage } from './encode.ts';

/** Chat completions of OpenAI and compatible upstreams. */
export const chatDialect: Dialect = {
  format: 'chat',
  choices: 'many',
  encode,
  decodeStream: input => decodeStream(streamOutput(input)),
  decodeWhole: () => new WholeDecoder(),
  decodeBody: (body, input) => decodeBody(body, choicesOptions(input)),
  decodeFailure,
};

function streamOutput(input: EncodeInput): StreamOutput {
  const { text, request } = input;
  return request ? choicesOptions(input) : { showUsage: requestsUsage(text ?? Buffer.from('{}')) };
}

function choicesOptions({ text, request, envelope }: EncodeInput): ChoicesOptions {
  const names = new Map<string, string>();
  for (const tool of request?.tools ?? []) if ('name' in tool) names.set(toolName(tool.name), tool.name);
  return {
    toolName: wire => names.get(wire) ?? wire,
    seed: envelope.requestId,
    stop: request?.stop ?? [],
    signedBefore: request?.signaturesBefore ?? false,
    choices: request ? (request.n ?? 1) : requestedChoices(text),
  };
}

/** Returns the number of choices that a client's JSON requests. */
function requestedChoices(text: Buffer | undefined): number {
  return JSON.parse((text && memberText(text, 'n')) ?? '1') ?? 1;
}
