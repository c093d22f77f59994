import type { AssistantPart, Message, ReasoningPart, Signature } from '@model-gateway/canonical';
import type { MessagesCountRequest, MessagesMessage } from '@model-gateway/wire';
import type { Path } from './invalid.ts';
import { assistantParts, textParts, toolResult, userParts } from './parse-content.ts';

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
  const parts = content.flatMap((block, i) => assistantParts(block, [...path, i]));
  return [{ role, content: withSignedCalls(parts) }];
}

/** Thinking without text keeps the signature of the call after it, of a vendor that signs calls: puts it back there. */
function withSignedCalls(parts: AssistantPart[]): AssistantPart[] {
  return parts.flatMap((part, i) => {
    if (keepsSignature(part) && parts[i + 1]?.type === 'tool-call') return [];
    const before = parts[i - 1];
    if (part.type !== 'tool-call' || !before || !keepsSignature(before)) return [part];
    return [{ ...part, signature: before.signature }];
  });
}

function keepsSignature(part: AssistantPart): part is ReasoningPart & { signature: Signature } {
  return part.type === 'reasoning' && part.text === '' && part.signature?.format === 'generate-content';
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
