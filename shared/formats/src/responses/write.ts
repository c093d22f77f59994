import type { GenerateRequest, Output, Reasoning } from '@model-gateway/canonical';
import { writePlain } from '../upstream/request-body.ts';
import { writeItems } from './encode-input.ts';
import { encodeTools } from './encode-tools.ts';
import { responsesFields } from './fields.ts';
import type { ResponsesItemParam } from './input.ts';
import type { ResponsesRequestParams } from './request.ts';

/** Writes a request in the format's fields, as a client does that knows no model and no provider, without its model and streaming. */
export function write(request: GenerateRequest): object {
  const { messages } = request;
  const said = messages.findIndex(({ role }) => role !== 'system');
  const leading = said < 0 ? messages.length : said;
  const instructions = messages
    .slice(0, leading)
    .flatMap(({ role, content }) => (role === 'system' ? content.map(({ text }) => text) : []));
  const { input, ...fields } = writeFields(request, writeItems(messages.slice(leading)));
  return {
    instructions: instructions.length > 0 ? instructions.join('\n\n') : undefined,
    // Only messages need no type.
    input: input.map(({ type, ...item }) => (type === 'message' ? item : { type, ...item })),
    ...fields,
    reasoning: request.reasoning && reasoningOf(request.reasoning),
  };
}

/** Writes the fields of a request with its input. Undefined fields are not sent. `original`: its reader knows OpenAI's newest fields. */
export function writeFields(
  request: GenerateRequest,
  input: ResponsesItemParam[],
  original = false,
): Omit<ResponsesRequestParams, 'model'> {
  return {
    input,
    ...encodeTools(request, original),
    max_output_tokens: request.maxTokens,
    ...writePlain(responsesFields, request),
    text: textOf(request),
  };
}

function reasoningOf({ effort, show }: Reasoning): object {
  return { effort, summary: show ? 'auto' : undefined };
}

type TextParam = NonNullable<ResponsesRequestParams['text']>;

/** Writes the output format and verbosity. */
function textOf({ output, verbosity }: GenerateRequest): TextParam | undefined {
  const format = output && formatOf(output);
  return format || verbosity ? { format, verbosity } : undefined;
}

/** Writes the output format; undefined for plain text, the default. */
function formatOf(output: Output): TextParam['format'] {
  switch (output.type) {
    case 'text':
      return undefined;
    case 'json':
      return { type: 'json_object' };
    case 'schema': {
      const { schema, name = 'response', strict } = output;
      return { type: 'json_schema', name, schema, strict };
    }
  }
}
