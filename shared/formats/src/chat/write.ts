import type { GenerateRequest, Output } from '@model-gateway/canonical';
import { writePlain } from '../upstream/request-body.ts';
import { encodeTurns } from './encode-messages.ts';
import { encodeTools } from './encode-tools.ts';
import { chatFields } from './fields.ts';
import type { ChatFormatParam, ChatRequestParams } from './request.ts';
import type { ChatMessageParam } from './turns.ts';

/** The fields of a request, without its model and streaming. */
type Fields = Omit<ChatRequestParams, 'model'>;

/** Writes a request in the format's fields, as a client does that knows no model and no provider. */
export function write(request: GenerateRequest): Fields {
  const options = { original: false, prefill: false, signed: true, idOf: (id: string) => id };
  return writeFields(request, encodeTurns(request.messages, options));
}

/** Writes the fields of a request with its messages. Undefined fields are not sent. `original`: its reader knows OpenAI's newest fields. */
export function writeFields(
  request: GenerateRequest,
  messages: ChatMessageParam[],
  original = false,
): Fields {
  const { stop = [], maxTokens, reasoning, output } = request;
  return {
    messages,
    ...encodeTools(request, original),
    // Compatible upstreams may know only the older name.
    ...(maxTokens !== undefined && { [original ? 'max_completion_tokens' : 'max_tokens']: maxTokens }),
    ...writePlain(chatFields, request),
    stop: stop.length > 0 ? stop : undefined,
    ...(reasoning?.effort && { reasoning_effort: reasoning.effort }),
    response_format: output && encodeOutput(output),
    ...(request.verbosity !== undefined && { verbosity: request.verbosity }),
  };
}

/** Encodes the output format. Plain text is the default. */
function encodeOutput(output: Output): ChatFormatParam | undefined {
  switch (output.type) {
    case 'text':
      return undefined;
    case 'json':
      return { type: 'json_object' };
    case 'schema': {
      const { schema, name = 'response', strict } = output;
      return { type: 'json_schema', json_schema: { name, schema, strict } };
    }
  }
}
