import type { AnswerPart, QuestionPart, ToolCallPart, ToolResultPart } from './part.ts';
import type { Turn } from './turn.ts';

/** Turns as they are sent: roles alternate, each call has its result, and each result its call. */
export type Sent = { role: 'user'; parts: QuestionPart[] } | { role: 'assistant'; parts: AnswerPart[] };

/**
 * Returns the turns to send for the last question of a path. Left out are answers that failed or are empty, and calls without a result,
 * as of an answer that was stopped. Turns of one role that follow one another are joined.
 */
export function historyOf(path: readonly Turn[]): Sent[] {
  const kept = path.filter(turn => turn.role === 'user' || turn.state === 'done' || turn.state === 'stopped');
  const joined: Sent[] = [];
  for (const { role, parts } of kept) {
    const last = joined.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role) last.parts = [...last.parts, ...parts] as never;
    else joined.push({ role, parts: [...parts] } as Sent);
  }
  return joined.map(paired).filter(({ parts }) => parts.length > 0);
}

function paired(sent: Sent, index: number, all: readonly Sent[]): Sent {
  if (sent.role === 'assistant') {
    const results = resultsOf(all[index + 1]);
    const answered = (call: ToolCallPart) => results.some(({ callId }) => callId === call.id);
    const parts = sent.parts.filter(part => part.type !== 'tool-call' || answered(part));
    return { role: 'assistant', parts: parts.some(isSaid) ? parts : [] };
  }
  const before = all[index - 1];
  const calls = before?.role === 'assistant' ? before.parts : [];
  const asked = ({ callId }: ToolResultPart) =>
    calls.some(part => part.type === 'tool-call' && part.id === callId);
  // The formats want results before anything else.
  const results = resultsOf(sent).filter(asked);
  return { role: 'user', parts: [...results, ...sent.parts.filter(part => part.type !== 'tool-result')] };
}

function resultsOf(sent: Sent | undefined): ToolResultPart[] {
  return sent?.role === 'user' ? sent.parts.filter(part => part.type === 'tool-result') : [];
}

/** Reasoning alone is no answer: no format takes it without a text or a call after it. */
function isSaid(part: AnswerPart): boolean {
  return part.type !== 'reasoning' && !('text' in part && part.text === '');
}
