import {
  GatewayError,
  given,
  type Message,
  readSignedId,
  type ToolCallPart,
  type ToolResultPart,
} from '@model-gateway/canonical';
import type { ChatTurn } from '@model-gateway/wire';
import { parseAssistant } from './parse-assistant.ts';
import { markLast, parseCache, parseContent, parseText } from './parse-content.ts';

/**
 * A conversation, each message in its place; a run of tool results is one message.
 * @throws GatewayError of kind `invalid-request` for a call without its result, or a result without its call
 */
export function parseMessages(turns: readonly ChatTurn[]): Message[] {
  const messages: Message[] = [];
  const open = new OpenCalls();
  for (const [i, turn] of turns.entries()) {
    const path = `messages[${i}]`;
    if (turn.role === 'tool' || turn.role === 'function') addResult(messages, parseResult(turn, path, open));
    else {
      open.refuseAny();
      messages.push(parseTurn(turn, path, open));
    }
  }
  open.refuseAny();
  return withUser(messages);
}

type Spoken = Exclude<ChatTurn, { role: 'tool' | 'function' }>;

function parseTurn(turn: Spoken, path: string, open: OpenCalls): Message {
  switch (turn.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: markLast(turn.content.map(parseText), turn) };
    case 'user':
      return { role: 'user', content: markLast(parseContent(turn.content, `${path}.content`), turn) };
    case 'assistant': {
      const content = parseAssistant(turn, path);
      for (const part of content) if (part.type === 'tool-call') open.add(part, path);
      return { role: 'assistant', content };
    }
  }
}

function parseResult(
  turn: Extract<ChatTurn, { role: 'tool' | 'function' }>,
  path: string,
  open: OpenCalls,
): ToolResultPart {
  if (turn.role === 'function') {
    const callId = open.answerName(turn.name, `${path}.name`);
    return { type: 'tool-result', callId, content: [{ type: 'text', text: turn.content ?? '' }] };
  }
  const callId = open.answer(readSignedId(turn.tool_call_id).id, `${path}.tool_call_id`);
  const content = parseContent(turn.content, `${path}.content`);
  return { type: 'tool-result', callId, content, ...given({ cache: parseCache(turn) }) };
}

function addResult(messages: Message[], result: ToolResultPart): void {
  const last = messages.at(-1);
  if (last?.role === 'tool') last.content.push(result);
  else messages.push({ role: 'tool', content: [result] });
}

/** Here a conversation may be all instructions; other formats want a user who says something. */
function withUser(messages: Message[]): Message[] {
  if (messages.some(({ role }) => role !== 'system')) return messages;
  return [...messages, { role: 'user', content: [{ type: 'text', text: '.' }] }];
}

/** The calls of the last turn that wait for their results. */
export class OpenCalls {
  readonly #names = new Map<string, string>();
  #path = '';

  /** `path` is the message that holds the call. */
  add({ id, name }: ToolCallPart, path: string): void {
    this.#names.set(id, name);
    this.#path = path;
  }

  /** The id itself. @throws GatewayError naming the field `param` if no call waits under the id */
  answer(id: string, param: string): string {
    if (this.#names.delete(id)) return id;
    const message = `Invalid '${param}': no tool call before it with the id '${id}' waits for a result.`;
    throw new GatewayError('invalid-request', message, { param, code: 'invalid_value' });
  }

  /** The id of a call by its function's name, as the old form has it. */
  answerName(name: string, param: string): string {
    const id = [...this.#names].find(([, open]) => open === name)?.[0];
    if (id !== undefined) return this.answer(id, param);
    const message = `Invalid '${param}': no function call '${name}' before it waits for a result.`;
    throw new GatewayError('invalid-request', message, { param, code: 'invalid_value' });
  }

  /** The run of results is over. @throws GatewayError naming the ids of calls that have none */
  refuseAny(): void {
    if (this.#names.size === 0) return;
    const ids = [...this.#names.keys()].join(', ');
    const message = `An assistant message with tool calls must be followed by a tool message for each of them. No message answers: ${ids}.`;
    throw new GatewayError('invalid-request', message, { param: this.#path, code: 'invalid_value' });
  }
}
