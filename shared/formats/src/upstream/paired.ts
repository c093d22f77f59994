import type { Message, ToolResultPart } from '@model-gateway/canonical';
import { CallPairs } from './call-ids.ts';
import { refuse } from './unsupported.ts';

type Turn<Role extends Message['role']> = Extract<Message, { role: Role }>;

/**
 * Returns a conversation in which each call has an id of its own: where ids repeat, calls are renamed by order of appearance, and
 * results take the ids of their calls. A call that lacks a result of its own, while another of the same turn and id has one, gets
 * that one.
 * @throws GatewayError unless every call has a result before the next turn, and every result has a call
 */
export function paired(messages: readonly Message[]): Message[] {
  const pairs = new CallPairs<ToolResultPart>();
  const sent: Message[] = [];
  let answering = false;
  for (const message of messages) {
    const asks = message.role === 'assistant';
    if (asks && answering) endTurn(pairs, sent);
    answering = !asks;
    if (message.role === 'assistant') sent.push(asked(message, pairs));
    else sent.push(message.role === 'tool' ? answered(message, pairs) : message);
  }
  endTurn(pairs, sent);
  return sent;
}

function asked(message: Turn<'assistant'>, pairs: CallPairs<ToolResultPart>): Message {
  let renamed = false;
  const content = message.content.map(part => {
    if (part.type !== 'tool-call') return part;
    const id = pairs.call(part.id);
    if (id === part.id) return part;
    renamed = true;
    return { ...part, id };
  });
  return renamed ? { ...message, content } : message;
}

function answered(message: Turn<'tool'>, pairs: CallPairs<ToolResultPart>): Message {
  let renamed = false;
  const content = message.content.map(result => {
    const callId = pairs.result(result.callId, result);
    if (callId === undefined)
      return refuse(
        'messages',
        `The tool result '${result.callId}' has no matching tool call in the previous turn.`,
      );
    if (callId === result.callId) return result;
    renamed = true;
    return { ...result, callId };
  });
  return renamed ? { ...message, content } : message;
}

/** Adds the results that calls of the last turn share. @throws GatewayError for a call without a result */
function endTurn(pairs: CallPairs<ToolResultPart>, sent: Message[]): void {
  const { unanswered, shared } = pairs.end();
  const ids = unanswered.map(id => `'${id}'`).join(', ');
  if (ids !== '') refuse('messages', `These tool calls have no result in the next turn: ${ids}.`);
  if (shared.length === 0) return;
  const at = sent.findLastIndex(({ role }) => role === 'tool');
  const more = shared.map(({ callId, result }) => ({ ...result, callId }));
  sent[at] = { role: 'tool', content: [...(sent[at] as Turn<'tool'>).content, ...more] };
}
