import { type Answer, type Finish, type Reply, runsOf, type Usage } from '../responder/answer.ts';
import type { ParsedCohereChat } from './parse.ts';

/** An answer as one object. */
export function whole(_parsed: ParsedCohereChat, answer: Answer) {
  const [reply] = answer.replies as [Reply];
  const runs = runsOf(reply);
  const called = runs.some(({ kind }) => kind === 'call');
  const thoughts = runs.filter(({ kind }) => kind === 'reasoning').map(({ text }) => text);
  const content = runs.flatMap(({ kind, text }): object[] => {
    if (kind === 'call') return [];
    if (kind !== 'reasoning') return [{ type: 'text', text }];
    return called ? [] : [{ type: 'thinking', thinking: text }];
  });
  const calls = runs.flatMap(run =>
    run.kind === 'call'
      ? [{ id: run.call.id, type: 'function', function: { name: run.call.name, arguments: run.text } }]
      : [],
  );
  return {
    id: answer.id,
    finish_reason: finishOf(reply),
    message: {
      role: 'assistant',
      ...(called && { tool_plan: thoughts.join('\n'), tool_calls: calls }),
      ...(content.length > 0 && { content }),
    },
    usage: usageOf(answer.usage),
  };
}

const reasons = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  calls: 'TOOL_CALL',
  refusal: 'COMPLETE',
  blocked: 'COMPLETE',
} as const satisfies Record<Finish, string>;

export function finishOf({ finish, stopped }: Reply): string {
  return stopped === null ? reasons[finish] : 'STOP_SEQUENCE';
}

/** Usage as Cohere reports it: what is billed, and what the model read with the vendor's own preamble. */
export function usageOf({ input, cachedInput, output }: Usage) {
  return {
    billed_units: { input_tokens: input, output_tokens: output },
    tokens: { input_tokens: input + preamble, output_tokens: output + 1 },
    cached_tokens: cachedInput,
  };
}

/** Tokens that the vendor adds to each prompt. */
const preamble = 64;
