import type { Message } from '@model-gateway/canonical';
import type { MessagesCountRequest, MessagesMessage } from '@model-gateway/wire';
import { assistantParts, textParts, toolResult, userParts } from '../content/parse.ts';
import type { Path } from '../invalid.ts';

/** The turns of a conversation: instructions first, those that come later where they are. */
export function conversation({ system, messages }: MessagesCountRequest): Message[] {
  const leading = system?.length ? textParts(system, ['system']) : [];
  return [
    ...(leading.length > 0 ? [{ role: 'system' as const, content: leading }] : []),
    ...messages.flatMap((message, i) => turns(message, ['messages', i, 'content'])),
  ];
}

function turns({ role, content }: MessagesMessage, path: Path): Message[] {
  if (role === 'system') return [{ role, content: textParts(content, path) }];
  if (typeof content === 'string') return [{ role, content: [{ type: 'text', text: content }] }];
  if (role === 'user') return userTurns(content, path);
  return [{ role, content: content.flatMap((block, i) => assistantParts(block, [...path, i])) }];
}

/** The results of tools, wherever they are in a user's turn, come before what the user says. */
function userTurns(content: Exclude<MessagesMessage['content'], string>, path: Path): Message[] {
  const at = content.map((block, i) => ({ block, path: [...path, i] }));
  const isResult = ({ block }: (typeof at)[number]) => block.type === 'tool_result';
  const results = at.filter(isResult).map(({ block, path }) => toolResult(block, path));
  const said = at.filter(item => !isResult(item)).flatMap(({ block, path }) => userParts(block, path));
  if (results.length === 0) return [{ role: 'user', content: said }];
  return [
    { role: 'tool', content: results },
    ...(said.length > 0 ? [{ role: 'user' as const, content: said }] : []),
  ];
}
