import type { AssistantPart } from '@model-gateway/canonical';
import { memberText, parseExact, spliceTopLevel } from '@model-gateway/json';
import { AnswerIds } from '../upstream/call-ids.ts';
import type { StreamEvent } from '../upstream/read-json.ts';

/** Renames the calls of an answer that is passed on if their ids are in the client's history: clients pair results by id alone. */
export class PassedIds {
  readonly #seed: string;
  /** The client's JSON. */
  readonly #text: Buffer;
  #ids: AnswerIds | undefined;

  constructor(seed: string, text: Buffer) {
    this.#seed = seed;
    this.#text = text;
  }

  /** Returns the bytes of events with calls renamed. */
  inEvents(whole: Buffer, events: readonly StreamEvent[]): Buffer {
    let text: string | undefined;
    let written = '';
    /** The end of what is written. */
    let at = 0;
    for (const { data } of events) {
      const renamed = data.includes('"tool_use"') ? this.#inEvent(data) : data;
      if (renamed === data) continue;
      text ??= whole.toString('utf8');
      const found = text.indexOf(data, at);
      // Data of several lines is not there in one piece.
      if (found < 0) continue;
      written += text.slice(at, found) + renamed;
      at = found + data.length;
    }
    return text === undefined ? whole : Buffer.from(written + text.slice(at));
  }

  /** Returns a whole answer with calls renamed. `content` is its parsed content. */
  inAnswer(bytes: Buffer, content: unknown): Buffer {
    if (!Array.isArray(content)) return bytes;
    const ids = content.map(block => (isCounted(block) ? this.#of(block.id) : undefined));
    if (ids.every((id, at) => id === undefined || id === content[at].id)) return bytes;
    const blocks = parseExact(memberText(bytes, 'content') ?? '[]') as Block[];
    const renamed = blocks.map((block, at) => (ids[at] === undefined ? block : { ...block, id: ids[at] }));
    return spliceTopLevel(bytes, new Map([['content', JSON.stringify(renamed)]]));
  }

  #inEvent(data: string): string {
    const block = memberText(Buffer.from(data), 'content_block');
    const parsed: unknown = block && JSON.parse(block);
    if (!block || !isCounted(parsed)) return data;
    const id = this.#of(parsed.id);
    if (id === parsed.id) return data;
    const renamed = spliceTopLevel(Buffer.from(block), new Map([['id', JSON.stringify(id)]])).toString();
    return spliceTopLevel(Buffer.from(data), new Map([['content_block', renamed]])).toString();
  }

  #of(id: string): string {
    this.#ids ??= new AnswerIds({
      seed: this.#seed,
      history: [{ role: 'assistant', content: callsIn(this.#text) }],
    });
    return this.#ids.of(id);
  }
}

interface Block {
  type?: unknown;
  id?: unknown;
}

/** Ids that count the calls of an answer, such as `call_0` and `functions.f:0`, or that are too short to be of chance. */
const counted = /^.{0,11}$|[^a-zA-Z0-9]\d{1,4}$/;

/** True for a call whose id an upstream may use again. */
function isCounted(block: unknown): block is Block & { id: string } {
  const { type, id } = Object(block) as Block;
  return type === 'tool_use' && typeof id === 'string' && counted.test(id);
}

function callsIn(text: Buffer): AssistantPart[] {
  const messages: unknown = JSON.parse(memberText(text, 'messages') ?? '[]');
  if (!Array.isArray(messages)) return [];
  return messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).flatMap(callIn);
}

function callIn(block: unknown): AssistantPart[] {
  const { type, id } = Object(block) as Block;
  return type === 'tool_use' && typeof id === 'string'
    ? [{ type: 'tool-call', id, name: '', arguments: '' }]
    : [];
}
