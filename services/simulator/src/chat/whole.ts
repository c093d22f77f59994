import {
  type Answer,
  callsOf,
  cited,
  type Finish,
  joined,
  type Reply,
  source,
  type Usage,
} from '../responder/answer.ts';
import { type Alternative, likelihood } from '../responder/seeded-random.ts';
import type { ParsedChat } from './parse.ts';

/** An answer as one `chat.completion` object. */
export function whole(parsed: ParsedChat, answer: Answer) {
  return {
    ...headOf(parsed, answer, 'chat.completion'),
    choices: answer.replies.map((reply, index) => ({
      index,
      message: messageOf(reply, parsed.searches),
      logprobs: logprobsOf(reply, parsed.topLogprobs),
      finish_reason: finishReasons[reply.finish],
    })),
    usage: chatUsage(answer.usage),
  };
}

function messageOf(reply: Reply, searches: boolean) {
  const reasoning = joined(reply.steps, 'reasoning');
  const refusal = joined(reply.steps, 'refusal') || null;
  const calls = callsOf(reply).map(({ call: { id, tool, name }, text }) => ({
    id: `call_${id}`,
    type: tool,
    [tool]: { name, [tool === 'function' ? 'arguments' : 'input']: text },
  }));
  return {
    role: 'assistant',
    content: calls.length > 0 || refusal ? null : joined(reply.steps, 'text'),
    refusal,
    annotations: annotationsOf(reply, searches),
    ...(reasoning && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function logprobsOf({ steps }: Reply, top: number | null) {
  if (top === null) return null;
  const tokens = steps.filter(step => step.kind === 'text').map(({ text }) => text);
  return tokens.length > 0 ? chatLogprobs(tokens, steps.length - tokens.length, top) : null;
}

export const finishReasons = {
  stop: 'stop',
  length: 'length',
  calls: 'tool_calls',
  refusal: 'stop',
  blocked: 'content_filter',
} as const satisfies Record<Finish, string>;

/** The fields that a whole answer and every chunk of a stream have in common. */
export function headOf(
  { prompt: { model }, serviceTier: service_tier }: ParsedChat,
  answer: Answer,
  object: string,
) {
  const { id, created } = answer;
  return { id: `chatcmpl-${id}`, object, created, model, service_tier, system_fingerprint: fingerprint };
}

export const fingerprint = 'fp_5e1f0c2a9b';

/** The citations of a reply. */
export function annotationsOf(reply: Reply, searches: boolean) {
  const text = cited(reply, searches);
  if (text === null) return [];
  return [{ type: 'url_citation', url_citation: { start_index: 0, end_index: text.length, ...source } }];
}

/** The `logprobs` of tokens, of which the first is at `place` in the text. */
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
