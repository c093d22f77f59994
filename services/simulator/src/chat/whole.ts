import {
  type Answer,
  type Call,
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
  const { steps } = reply;
  const reasoning = joined(steps, 'reasoning');
  const refusal = joined(steps, 'refusal') || null;
  const calls = steps.filter(step => step.kind === 'call').map(({ call }) => call);
  return {
    role: 'assistant',
    content: calls.length > 0 || refusal ? null : joined(steps, 'text'),
    refusal,
    annotations: annotationsOf(reply, searches),
    ...(reasoning && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(call => toolCall(call, steps)) }),
  };
}

function toolCall(call: Call, steps: Reply['steps']) {
  const { name } = call;
  let input = '';
  for (const step of steps) if (step.kind === 'input' && step.call === call) input += step.text;
  const said =
    call.tool === 'function' ? { function: { name, arguments: input } } : { custom: { name, input } };
  return { id: `call_${call.id}`, type: call.tool, ...said };
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
