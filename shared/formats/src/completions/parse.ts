import { extrasOf, GatewayError, type GenerateRequest, type Message } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { checked } from '../client/invalid.ts';
import { constraintsOf, mostTokens, type ParsedGenerate, readPlain } from '../client/parsed-request.ts';
import { completionsFields } from './fields.ts';
import type { CompletionAnswerOptions } from './render.ts';
import { type CompletionRequest, completionRequest } from './types.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>): ParsedGenerate<CompletionAnswerOptions> {
  const data = checked(completionRequest, body);
  checkBestOf(data);
  const choices = (data.best_of ?? data.n ?? 1) * promptCount(data);
  return {
    type: 'generate',
    model: data.model,
    stream: data.stream === true,
    maxTokens: mostTokens(data.max_tokens, choices),
    choices,
    ...extrasOf('completions', [], body.service_tier),
    canonical: () => parseGenerate(data),
    rendering: {
      model: data.model,
      usage: data.stream_options?.include_usage === true,
      echo: data.echo === true ? texts(data.prompt) : [],
      n: data.n ?? 1,
    },
  };
}

/** Returns the number of prompts, each a text or a list of tokens. */
function promptCount({ prompt }: CompletionRequest): number {
  return Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1;
}

function checkBestOf({ best_of: best, n, stream }: CompletionRequest): void {
  if (best == null) return;
  if (best < (n ?? 1)) throw invalid('best_of', `must be at least n, which is ${n ?? 1}`, 'invalid_value');
  if (stream && best > (n ?? 1))
    throw invalid('best_of', 'cannot be more than n in a stream', 'invalid_value');
}

/**
 * Parses the canonical request: one user message per prompt.
 * @throws GatewayError for settings without a chat equivalent
 */
function parseGenerate(body: CompletionRequest): GenerateRequest {
  const { prompt, suffix, logprobs, best_of: best, n, stop } = body;
  const only = 'is supported only by upstreams with a text completion API';
  if (texts(prompt).length === 0) throw invalid('prompt', `as tokens ${only}`);
  if (suffix) throw invalid('suffix', only);
  if (logprobs != null) throw invalid('logprobs', only);
  if (best != null && best > (n ?? 1)) throw invalid('best_of', `of more than n ${only}`);
  const [messages = [], ...others] = texts(prompt).map(conversation);
  return omitNullish({
    messages,
    others: others.length > 0 ? others : undefined,
    maxTokens: body.max_tokens,
    ...readPlain(completionsFields, body),
    stop: typeof stop === 'string' ? [stop] : stop,
    // vLLM takes the formats of chat here, too.
    vendorFields: constraintsOf('completions', body, ['response_format']),
  });
}

/** Returns the prompts that are text, not tokens. */
function texts(prompt: CompletionRequest['prompt']): string[] {
  return [prompt].flat().filter(text => typeof text === 'string');
}

function conversation(text: string): Message[] {
  return [{ role: 'user', content: [{ type: 'text', text }] }];
}

function invalid(param: string, why: string, code = 'unsupported_parameter'): GatewayError {
  return new GatewayError('invalid-request', `Invalid '${param}': ${why}.`, { param, code });
}
