import type { Usage } from '../responder/answer.ts';
import { type Answer, cited, type Finish, type Reply, source } from '../responder/answer.ts';
import { type Alternative, likelihood } from '../responder/seeded-random.ts';
import type { ParsedChat } from './parse.ts';

export const finishReasons = {
  stop: 'stop',
  length: 'length',
  calls: 'tool_calls',
  refusal: 'stop',
  blocked: 'content_filter',
} as const satisfies Record<Finish, string>;

/** The fields that a whole answer and every chunk of a streamed one have in common. */
export function headOf(
  parsed: ParsedChat,
  answer: Answer,
  object: 'chat.completion' | 'chat.completion.chunk',
) {
  return {
    id: `chatcmpl-${answer.id}`,
    object,
    created: answer.created,
    model: parsed.model,
    service_tier: parsed.serviceTier,
    system_fingerprint: 'fp_5e1f0c2a9b',
  };
}

/** The citations of a reply. */
export function annotationsOf(reply: Reply, searches: boolean) {
  const text = cited(reply, searches);
  if (text === null) return [];
  return [{ type: 'url_citation', url_citation: { start_index: 0, end_index: text.length, ...source } }];
}

/** The `logprobs` of some tokens of a text, the first of which stands at `place`. */
export function chatLogprobs(tokens: readonly string[], place: number, top: number) {
  return { content: tokenLogprobs(tokens, place, top), refusal: null };
}

export function tokenLogprobs(tokens: readonly string[], place: number, top: number) {
  return tokens.map((token, at) => {
    const { top: alternatives, ...itself } = likelihood(token, place + at, top);
    return { ...withBytes(itself), top_logprobs: alternatives.map(withBytes) };
  });
}

function withBytes({ token, logprob }: Alternative) {
  return { token, logprob, bytes: [...Buffer.from(token)] };
}

/** Usage of the chat format, with every detail. */
export function chatUsage({ input, cachedInput, audioInput, output, reasoning }: Usage) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cachedInput, cache_write_tokens: 0, audio_tokens: audioInput },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
