import type { AssistantTurn, Call, Content, Result, Turn } from '../ask.ts';
import { type Json, said } from '../json.ts';

/** Converts content that may be a text to a list of parts. */
export function partsOf(content: Json): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

export function textOf(content: Json): string {
  return partsOf(content)
    .map(part => part.text ?? '')
    .join('');
}

/** The content of a data URL. */
export function inDataUrl(url: string): { mediaType: string; data: string } {
  const [, mediaType = '', data = ''] = /^data:([^;]*);base64,(.*)$/s.exec(url) ?? [];
  return { mediaType, data };
}

export function imageOf(url: string): Content {
  const { mediaType, data } = inDataUrl(url);
  return data ? { image: data, mediaType } : { imageUrl: url };
}

export function documentOf(url: string, name: string | undefined): Content {
  const { mediaType, data } = inDataUrl(url);
  return { document: data, mediaType, ...(name !== undefined && { name }) };
}

/** Pairs results with the calls that they answer, by their ids. */
export class Pairing {
  #ids: string[] = [];

  /** The calls of a new turn, each id once. */
  calls(calls: { id: string; call: Call }[]): Call[] {
    this.#ids = calls.map(({ id }) => id);
    if (new Set(this.#ids).size < this.#ids.length) throw new Error(`ids that are the same: ${this.#ids}`);
    return calls.map(({ call }) => call);
  }

  result(id: string, text: string, failed = false): Result {
    const call = this.#ids.indexOf(id);
    if (call < 0) throw new Error(`a result of no call: ${id}`);
    return { call, text, ...(failed && { failed }) };
  }
}

/** The turns of messages whose tool results have a message each, as in chat. */
export function turnsOf(
  messages: Json[],
  content: (part: Json) => Content,
  assistant: (message: Json, pairing: Pairing) => Turn,
): Turn[] {
  const turns: Turn[] = [];
  const pairing = new Pairing();
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role === 'user') turns.push({ role: 'user', content: partsOf(message.content).map(content) });
    if (message.role === 'assistant') turns.push(assistant(message, pairing));
    if (message.role !== 'tool') continue;
    const result = pairing.result(message.tool_call_id, textOf(message.content));
    if (last?.role === 'tool') last.results.push(result);
    else turns.push({ role: 'tool', results: [result] });
  }
  return turns;
}

/** A turn whose calls are `tool_calls`, as in chat. */
export function assistantOf(
  { content, tool_calls }: Json,
  pairing: Pairing,
  reasoning: string | undefined,
): AssistantTurn {
  const calls = (tool_calls ?? []).map(({ id, function: fn }: Json) => ({
    id,
    call: { name: fn.name, args: JSON.parse(fn.arguments) },
  }));
  return said({
    role: 'assistant' as const,
    reasoning,
    text: textOf(content) || undefined,
    calls: calls.length > 0 ? pairing.calls(calls) : undefined,
  });
}
