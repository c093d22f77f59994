import { GatewayError, type Message, type ToolCallPart, type ToolResultPart } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { readSignedId } from '../values/signatures.ts';
import { parseAssistant } from './parse-assistant.ts';
import { cacheLast, parseCache, parseContent, parseText } from './parse-content.ts';
import type { ChatTurn } from './turns.ts';

/**
 * Parses a conversation in order. Consecutive tool results become one message.
 * @throws GatewayError of kind `invalid-request` for a call without a result, or a result without a call
 */
export function parseMessages(turns: readonly ChatTurn[]): Message[] {
  const messages: Message[] = [];
  const open = new OpenCalls();
  for (const [i, turn] of turns.entries()) {
    const path = `messages[${i}]`;
    if (turn.role === 'tool' || turn.role === 'function') addResult(messages, parseResult(turn, path, open));
    else {
      open.end();
      messages.push(parseTurn(turn, path, open));
    }
  }
  open.end();
  return messages;
}

type NonResultTurn = Exclude<ChatTurn, { role: 'tool' | 'function' }>;

function parseTurn(turn: NonResultTurn, path: string, open: OpenCalls): Message {
  switch (turn.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: cacheLast(turn.content.map(parseText), turn) };
    case 'user':
      return { role: 'user', content: cacheLast(parseContent(turn.content, `${path}.content`), turn) };
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
  const content = parseContent(turn.content ?? [], `${path}.content`);
  return { type: 'tool-result', callId, content, ...omitNullish({ cache: parseCache(turn) }) };
}

function addResult(messages: Message[], result: ToolResultPart): void {
  const last = messages.at(-1);
  if (last?.role === 'tool') last.content.push(result);
  else messages.push({ role: 'tool', content: [result] });
}

/** The calls of the last assistant message that need results. Upstreams give several calls of a turn one id. */
export class OpenCalls {
  readonly #names = new Map<string, string>();
  /** The number of calls of each id that need a result, and the ids of which none has one. */
  readonly #needed = new Map<string, number>();
  readonly #unanswered = new Set<string>();
  /** The ids by name, the first one last; undefined until a result names a function. */
  #idsByName: Map<string, string[]> | undefined;
  #path = '';

  /** Adds a call. `path` is the position of its message. */
  add({ id, name }: ToolCallPart, path: string): void {
    this.#names.set(id, name);
    this.#needed.set(id, (this.#needed.get(id) ?? 0) + 1);
    this.#unanswered.add(id);
    this.#idsByName = undefined;
    this.#path = path;
  }

  /**
   * Answers a call and returns its id.
   * @throws GatewayError for the field `param` if no open call has the id
   */
  answer(id: string, param: string): string {
    const needed = this.#needed.get(id);
    if (needed) {
      this.#needed.set(id, needed - 1);
      this.#unanswered.delete(id);
      return id;
    }
    const message = `Invalid '${param}': there is no preceding tool call with the id '${id}' that still needs a result.`;
    throw new GatewayError('invalid-request', message, { param, code: 'invalid_value' });
  }

  /**
   * Answers a legacy call by its function's name and returns its id.
   * @throws GatewayError as {@link answer} does
   */
  answerName(name: string, param: string): string {
    this.#idsByName ??= Map.groupBy([...this.#names.keys()].reverse(), id => this.#names.get(id) ?? '');
    const ids = this.#idsByName.get(name) ?? [];
    let id = ids.pop();
    while (id !== undefined && !this.#needed.get(id)) id = ids.pop();
    if (id !== undefined) return this.answer(id, param);
    const message = `Invalid '${param}': there is no preceding function call '${name}' that still needs a result.`;
    throw new GatewayError('invalid-request', message, { param, code: 'invalid_value' });
  }

  /** Ends the turn. @throws GatewayError with the ids of the calls without a result, if there are any */
  end(): void {
    const ids = [...this.#unanswered].join(', ');
    this.#names.clear();
    this.#needed.clear();
    this.#unanswered.clear();
    if (ids === '') return;
    const message = `An assistant message with tool calls must be followed by a tool message for each of them. Calls without a result: ${ids}.`;
    throw new GatewayError('invalid-request', message, { param: this.#path, code: 'invalid_value' });
  }
}
