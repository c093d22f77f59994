import { renamePath } from '@model-gateway/canonical';
import { decodeFailure } from '../upstream/decode-openai-failure.ts';
import type { CanonicalInput, Dialect, UpstreamFields } from '../upstream/dialect.ts';
import { clientNames } from '../upstream/tools.ts';
import { type AnswerNames, decodeBody, decodeStream } from './decode.ts';
import { encode } from './encode.ts';

/** The canonical fields of the fields that upstreams name in errors. */
const fields: UpstreamFields = {
  messages: 'messages',
  tools: 'tools',
  tool_choice: 'toolChoice',
  response_format: 'output',
  thinking: 'reasoning',
  max_tokens: 'maxTokens',
  stop_sequences: 'stop',
  temperature: 'temperature',
  p: 'topP',
  k: 'topK',
  seed: 'seed',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
};

/** Cohere's chat API, version 2. The gateway has no clients of it, so every request is translated. */
export const cohereChatDialect: Dialect<CanonicalInput> = {
  format: 'cohere-chat',
  bodies: ['canonical'],
  choices: 'one',
  encode,
  decodeStream: input => decodeStream(namesIn(input)),
  decodeWhole: input => decodeStream(namesIn(input)),
  decodeBody: (body, input) => decodeBody(body, namesIn(input)),
  decodeFailure,
  pathOf: param => renamePath(param, fields),
};

function namesIn({ request, envelope, model }: CanonicalInput): AnswerNames {
  const { messages: history, tools } = request;
  return { model, seed: envelope.requestId, history, toolName: clientNames(tools) };
}
