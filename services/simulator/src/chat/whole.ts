import { type Answer, type Call, joined, type Thought } from '../mind/answer.ts';
import { annotationsOf } from './annotations.ts';
import { finishReasons } from './finish.ts';
import { headOf } from './head.ts';
import { chatLogprobs } from './logprobs.ts';
import type { ChatAsked } from './parse.ts';
import { chatUsage } from './usage.ts';

/** An answer as one `chat.completion` object. */
export function whole(asked: ChatAsked, answer: Answer) {
  return {
    ...headOf(asked, answer, 'chat.completion'),
    choices: answer.thoughts.map((thought, index) => ({
      index,
      message: messageOf(thought, asked.searches),
      logprobs: logprobsOf(thought, asked.topLogprobs),
      finish_reason: finishReasons[thought.finish],
    })),
    usage: chatUsage(answer.usage),
  };
}

function messageOf(thought: Thought, searches: boolean) {
  const { steps } = thought;
  const reasoning = joined(steps, 'reasoning');
  const refusal = joined(steps, 'refusal') || null;
  const calls = steps.filter(step => step.kind === 'call').map(({ call }) => call);
  return {
    role: 'assistant',
    content: calls.length > 0 || refusal ? null : joined(steps, 'text'),
    refusal,
    annotations: annotationsOf(thought, searches),
    ...(reasoning && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(call => toolCall(call, steps)) }),
  };
}

function toolCall(call: Call, steps: Thought['steps']) {
  const { name } = call;
  let input = '';
  for (const step of steps) if (step.kind === 'input' && step.call === call) input += step.text;
  const said =
    call.tool === 'function' ? { function: { name, arguments: input } } : { custom: { name, input } };
  return { id: `call_${call.id}`, type: call.tool, ...said };
}

function logprobsOf({ steps }: Thought, top: number | null) {
  if (top === null) return null;
  const tokens = steps.filter(step => step.kind === 'text').map(({ text }) => text);
  return tokens.length > 0 ? chatLogprobs(tokens, steps.length - tokens.length, top) : null;
}
