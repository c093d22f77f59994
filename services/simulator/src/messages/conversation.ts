import type { Prompt, ToolResult } from '../mind/prompt.ts';
import type { Block } from './block.ts';
import { spoken } from './context.ts';
import type { CountRequest } from './request.ts';
import { isResult, type Turn, usesOf } from './turns.ts';

type Conversation = Pick<Prompt, 'instructions' | 'question' | 'results' | 'media'>;

/** Reads what was said so far. */
export function readConversation({ system = [] }: CountRequest, turns: Turn[]): Conversation {
  const instructions = turns.filter(({ role }) => role === 'system').map(textOf);
  const question = turns.findLast(
    turn => turn.role === 'user' && turn.content.some(({ type }) => type === 'text'),
  );
  return {
    instructions: [...system.map(({ text }) => text), ...instructions].join('\n'),
    question: question ? textOf(question) : '',
    results: readResults(turns.filter(({ role }) => role !== 'system')),
    media: mediaOf(turns),
  };
}

function textOf({ content }: Turn): string {
  return content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** The results in the last turn, each with the call that it answers. */
function readResults(turns: Turn[]): ToolResult[] {
  const [before, last] = turns.slice(-2);
  if (!before || !last) return [];
  const uses = usesOf(before);
  return last.content.filter(isResult).map(block => {
    const use = uses.find(({ id }) => id === block.tool_use_id);
    const call = use ? `${use.name}(${JSON.stringify(use.input).slice(0, 200)})` : 'the tool';
    return { call, text: block.is_error ? `the error ${spoken(block)}` : spoken(block) };
  });
}

function mediaOf(turns: Turn[]): Prompt['media'] {
  const blocks: { type: string }[] = turns.flatMap(({ content }) => content.flatMap(withParts));
  const count = (type: string) => blocks.filter(block => block.type === type).length;
  return { images: count('image'), audio: 0, files: count('document') };
}

function withParts(block: Block): { type: string }[] {
  return isResult(block) ? [block, ...(block.content ?? [])] : [block];
}
