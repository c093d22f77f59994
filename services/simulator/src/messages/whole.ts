import type { Answer, Thought } from '../mind/answer.ts';
import { headOf } from './head.ts';
import type { MessagesAsked } from './parse.ts';
import { type Run, runsOf, textOf } from './run.ts';
import { searchOf } from './search.ts';
import { sign } from './signature.ts';
import { stopOf } from './stop.ts';
import type { ThinkingDisplay } from './thinking.ts';
import { messagesUsage } from './usage.ts';

/** An answer as one `message` object. */
export function whole(asked: MessagesAsked, answer: Answer) {
  const [thought] = answer.thoughts as [Thought];
  const search = searchOf(asked, answer);
  const citations = search ? [search.citation] : null;
  const content = runsOf(thought).map(run => contentBlock(run, asked.thinking, citations));
  return {
    ...headOf(asked, answer),
    content: [...(search?.blocks ?? []), ...content],
    ...stopOf(thought),
    usage: messagesUsage(answer.usage),
  };
}

function contentBlock(run: Run, display: ThinkingDisplay, citations: object[] | null) {
  const text = textOf(run);
  switch (run.kind) {
    case 'thinking':
      if (display === 'redacted') return redacted(text);
      return { type: 'thinking', thinking: display === 'omitted' ? '' : text, signature: sign(text) };
    case 'text':
      return { type: 'text', text, citations };
    case 'tool_use':
      return { ...toolUse(run), input: readInput(text) };
  }
}

export function redacted(thinking: string) {
  return { type: 'redacted_thinking', data: sign(thinking) };
}

/** The fields of a call but its input. */
export function toolUse({ call: { id, name } }: Run & { kind: 'tool_use' }) {
  return { type: 'tool_use', id: `toolu_${id}`, name, caller: { type: 'direct' } };
}

/** An answer that was cut has half an input, and a whole answer no way to show it. */
function readInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
