import { type Answer, type Call, joined, type Reply } from '../responder/answer.ts';
import { annotationsOf, chatLogprobs, chatUsage, finishReasons, headOf } from './answer.ts';
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
