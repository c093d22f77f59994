import type { GenerateRequest, Output } from '@model-gateway/canonical';
import { given } from '@model-gateway/canonical';
import type { ChatResponseFormat, ChatTranslatable } from '@model-gateway/wire';
import { parseMessages } from '../messages/parse.ts';
import { parseToolChoice, parseTools } from '../tools/parse.ts';

/** Fields that have a place in the canonical request, or that say how to answer and not what. */
const placed: ReadonlySet<string> = new Set([
  ...['model', 'stream', 'stream_options', 'messages', 'tools', 'functions', 'tool_choice', 'function_call'],
  ...['parallel_tool_calls', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'top_k', 'stop'],
  ...['reasoning_effort', 'response_format', 'n', 'seed', 'presence_penalty', 'frequency_penalty'],
  ...['logprobs', 'top_logprobs', 'logit_bias', 'modalities', 'verbosity', 'service_tier'],
  ...['safety_identifier', 'user', 'metadata', 'web_search_options'],
]);

/** The request in no format. @throws GatewayError of kind `invalid-request` for a history that is broken */
export function parseGenerate(body: ChatTranslatable): GenerateRequest {
  const { reasoning_effort: effort, stop, functions } = body;
  return given({
    messages: parseMessages(body.messages),
    tools: parseTools(body),
    toolChoice: parseToolChoice(body),
    // An answer in the old form has room for one call.
    parallelToolCalls: body.parallel_tool_calls ?? (functions ? false : undefined),
    maxTokens: body.max_completion_tokens ?? body.max_tokens,
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    stop: typeof stop === 'string' ? [stop] : stop,
    reasoning: effort && (effort === 'none' ? { effort } : { effort, show: true }),
    output: body.response_format && parseOutput(body.response_format),
    n: body.n,
    seed: body.seed,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    logprobs: body.logprobs ? given({ top: body.top_logprobs }) : undefined,
    logitBias: body.logit_bias,
    modalities: body.modalities,
    verbosity: body.verbosity,
    serviceTier: body.service_tier,
    user: body.safety_identifier ?? body.user,
    metadata: body.metadata,
    extensions: extensions(body),
  });
}

function parseOutput(format: ChatResponseFormat): Output {
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json_object':
      return { type: 'json' };
    case 'json_schema': {
      const { name, schema, strict } = format.json_schema;
      return { type: 'schema', schema: schema ?? {}, name, ...given({ strict }) };
    }
  }
}

/** What only this format has. */
function extensions(body: ChatTranslatable): GenerateRequest['extensions'] {
  const rest = Object.entries(body).filter(([key, value]) => !placed.has(key) && value != null);
  return rest.length > 0 ? { chat: Object.fromEntries(rest) } : undefined;
}
