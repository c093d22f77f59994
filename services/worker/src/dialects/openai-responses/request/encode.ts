import type { GenerateRequest, Output, Reasoning } from '@model-gateway/canonical';
import type { ResponsesFormat } from '@model-gateway/wire';
import type { EncodeInput } from '../../dialect.ts';
import { effortOf } from '../../effort.ts';
import { hints } from '../../openai-chat/hints.ts';
import { checkToolChoice } from '../../tool-choice.ts';
import { refuseOwnWork, unsupported } from '../../unsupported.ts';
import { encodeInput } from '../input/encode.ts';
import { encodeTools } from '../tools/encode.ts';

/** The body's fields, the model and those of the stream aside; undefined is not sent. */
export function encodeRequest(request: GenerateRequest, input: EncodeInput): Record<string, unknown> {
  const { envelope, original = false, limits } = input;
  refuseOwnWork(request);
  refuseUnsayable(request);
  checkToolChoice(request);
  const { maxTokens, extensions } = request;
  return {
    ...extensions?.responses,
    input: encodeInput(request, envelope.format === 'messages'),
    ...encodeTools(request, original),
    max_output_tokens:
      maxTokens === undefined ? undefined : Math.min(maxTokens, limits.maxOutput ?? maxTokens),
    temperature: request.temperature,
    top_p: request.topP,
    reasoning: request.reasoning && encodeReasoning(request.reasoning),
    text: encodeText(request, original),
    metadata: request.metadata,
    prompt_cache_key: extensions?.chat?.prompt_cache_key,
    ...hints(request, original),
  };
}

/** What an answer in this format could not be true to; hints that it cannot carry are left out. */
function refuseUnsayable(request: GenerateRequest): void {
  const { n = 1, logprobs, logitBias = {}, modalities = [] } = request;
  if (n > 1) throw unsupported('n', `this model gives one answer, not ${n}`);
  // Parts of an answer have no place for them.
  if (logprobs) throw unsupported('logprobs', 'log probabilities cannot be had in translation');
  if (Object.keys(logitBias).length > 0) throw unsupported('logit_bias', 'this model takes none');
  const other = modalities.find(modality => modality.toLowerCase() !== 'text');
  if (other) throw unsupported('modalities', `this model answers with text, not with ${other}`);
}

/** A summary is all that the vendor shows of its reasoning, and that only if asked. */
function encodeReasoning(reasoning: Reasoning): Record<string, unknown> | undefined {
  const effort = effortOf(reasoning);
  // Who names a number of tokens is used to see what they were spent on.
  const { show = reasoning.budget !== undefined } = reasoning;
  const summary = show && effort !== 'none' ? 'auto' : undefined;
  return effort || summary ? { effort, summary } : undefined;
}

/** The verbosity is a hint that compatible upstreams need not know. */
function encodeText(
  { output, verbosity: asked }: GenerateRequest,
  original: boolean,
): Record<string, unknown> | undefined {
  const format = output && encodeFormat(output);
  const verbosity = original ? asked : undefined;
  return format || verbosity ? { format, verbosity } : undefined;
}

/** Plain text is the default and need not be said. */
function encodeFormat(output: Output): ResponsesFormat | undefined {
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
