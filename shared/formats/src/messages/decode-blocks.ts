import {
  type Citation,
  GatewayError,
  type GenerateEvent,
  type PartStart,
  type Signature,
} from '@model-gateway/canonical';
import { AnswerIds, type AnswerIdsOptions } from '../upstream/call-ids.ts';
import { findTool, type KnownTool } from '../upstream/tools.ts';
import type { MessagesUpstreamBlock, MessagesUpstreamDelta } from './answer.ts';
import { messagesWebCitation } from './request.ts';

export interface BlocksOptions extends AnswerIdsOptions {
  /** The request's tools, by their names at the upstream. */
  tools: ReadonlyMap<string, KnownTool>;
}

/** The content that a block takes; `any` for a block that only this format has. */
type Kind = 'text' | 'thinking' | 'input' | 'any';

/** The kinds of blocks that deltas belong to, by their types. A delta of another type belongs to any. */
const kinds: Partial<Record<string, Kind>> = {
  text_delta: 'text',
  citations_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'thinking',
  input_json_delta: 'input',
};

/** The handler of an open block's deltas and its end. */
interface OpenBlock {
  kind: Kind;
  delta(delta: MessagesUpstreamDelta): GenerateEvent[];
  stop(): GenerateEvent[];
}

/** The index of a block; null if it is missing. */
type Index = number | null | undefined;

function takes(open: OpenBlock, kind: Kind | undefined): boolean {
  return kind === undefined || open.kind === 'any' || open.kind === kind;
}

/** Turns content blocks into parts. Part indexes count only started parts, so that they have no gaps. */
export class Blocks {
  readonly #tools: ReadonlyMap<string, KnownTool>;
  readonly #ids: AnswerIds;
  /** The open blocks by index, the latest at the end. */
  readonly #open = new Map<number, OpenBlock>();
  #next = 0;
  #parts = 0;
  #called = false;

  constructor(options: BlocksOptions) {
    this.#tools = options.tools;
    this.#ids = new AnswerIds(options);
  }

  /** True if the model called a tool of the client. */
  get called(): boolean {
    return this.#called;
  }

  /** Starts a block. One that is open at its index ends. */
  start(index: Index, block: MessagesUpstreamBlock): GenerateEvent[] {
    const at = index ?? this.#next;
    const ended = this.stop(at);
    const [open, events] = this.#begin(block);
    this.#open.set(at, open);
    this.#next = at + 1;
    return [...ended, ...events];
  }

  /** @throws GatewayError for content of a block that cannot be told */
  delta(index: Index, delta: MessagesUpstreamDelta): GenerateEvent[] {
    const named = typeof index === 'number' ? this.#open.get(index) : undefined;
    const kind = kinds[delta.type];
    const open = named && takes(named, kind) ? named : this.#latest(kind);
    if (open) return open.delta(delta);
    const { text, thinking, partial_json: json } = delta;
    // The type of a text tells what its block is.
    if ((kind === 'text' && text) || (kind === 'thinking' && thinking)) {
      const at = index ?? this.#next;
      const events = this.start(at, { type: kind });
      return [...events, ...(this.#open.get(at)?.delta(delta) ?? [])];
    }
    if (named && !json) return [];
    throw new GatewayError(
      'upstream',
      'The upstream sent a delta for a content block that it did not start.',
    );
  }

  /** Ends a block: without an index, the latest. */
  stop(index: Index): GenerateEvent[] {
    const at = index ?? [...this.#open.keys()].at(-1) ?? 0;
    const open = this.#open.get(at);
    this.#open.delete(at);
    return open?.stop() ?? [];
  }

  /** Returns the latest open block that takes content of this kind. */
  #latest(kind: Kind | undefined): OpenBlock | undefined {
    return [...this.#open.values()].findLast(open => takes(open, kind));
  }

  /** Ends the blocks that the upstream left open. */
  stopAll(): GenerateEvent[] {
    return [...this.#open.keys()].flatMap(index => this.stop(index));
  }

  #begin(block: MessagesUpstreamBlock): [OpenBlock, GenerateEvent[]] {
    switch (block.type) {
      case 'text':
        return this.#text(block);
      case 'thinking':
        return this.#thinking(block);
      case 'redacted_thinking':
        return this.#redacted(block);
      case 'tool_use':
        return this.#toolUse(block);
      default:
        return [this.#opaque(block), []];
    }
  }

  #part(part: PartStart): { index: number; started: GenerateEvent } {
    const index = this.#parts++;
    return { index, started: { type: 'part-start', index, part } };
  }

  /** Starts the part at its first text: an empty one would be refused when the client sends it back. */
  #text({ text, citations: initial }: MessagesUpstreamBlock): [OpenBlock, GenerateEvent[]] {
    let index: number | undefined;
    const citations: Citation[] = decodeCitations(initial);
    const add = (text: string | null | undefined): GenerateEvent[] => {
      if (!text) return [];
      if (index !== undefined) return [{ type: 'part-delta', index, text }];
      const part = this.#part({ type: 'text' });
      index = part.index;
      return [part.started, { type: 'part-delta', index, text }];
    };
    const open: OpenBlock = {
      kind: 'text',
      delta({ text, citation }) {
        if (citation) citations.push(...decodeCitations([citation]));
        return add(text);
      },
      stop: () =>
        index === undefined ? [] : [{ type: 'part-end', index, ...(citations.length > 0 && { citations }) }],
    };
    return [open, add(text)];
  }

  #thinking(block: MessagesUpstreamBlock): [OpenBlock, GenerateEvent[]] {
    const { index, started } = this.#part({ type: 'reasoning' });
    let signed = block.signature ?? '';
    const more = (text: string | null | undefined): GenerateEvent[] =>
      text ? [{ type: 'part-delta', index, text }] : [];
    const open: OpenBlock = {
      kind: 'thinking',
      delta(delta) {
        signed += delta.signature ?? '';
        return more(delta.thinking);
      },
      stop: () => [{ type: 'part-end', index, ...signature(signed) }],
    };
    return [open, [started, ...more(block.thinking)]];
  }

  /** Decodes reasoning that comes at once. */
  #redacted({ data }: MessagesUpstreamBlock): [OpenBlock, GenerateEvent[]] {
    const { index, started } = this.#part({ type: 'reasoning', redacted: true });
    const open: OpenBlock = { kind: 'thinking', delta: () => [], stop: () => [] };
    return [open, [started, { type: 'part-end', index, ...signature(data) }]];
  }

  #toolUse({ id, name, input }: MessagesUpstreamBlock): [OpenBlock, GenerateEvent[]] {
    if (!name) throw new GatewayError('upstream', 'The upstream sent a tool call without a name.');
    const tool = findTool(this.#tools, name);
    if (tool?.type === 'answer') return this.#answer(input);
    this.#called = true;
    const custom = tool?.type === 'custom';
    const { index, started } = this.#part({
      type: 'tool-call',
      id: this.#ids.of(id),
      name: tool?.name ?? name,
      ...(custom && { custom }),
    });
    const open = custom ? freeText(index, input) : fragments(index, input);
    return [open, [started]];
  }

  /** Decodes the call of the answer tool: its input is the response text. */
  #answer(input: unknown): [OpenBlock, GenerateEvent[]] {
    const { index, started } = this.#part({ type: 'text' });
    return [fragments(index, input), [started]];
  }

  /** Decodes a block that only this format has. Its part is sent when the block ends. */
  #opaque(block: MessagesUpstreamBlock): OpenBlock {
    const value: Record<string, unknown> = { ...block };
    let json = '';
    return {
      kind: 'any',
      delta({ type, partial_json: more, ...fields }) {
        if (type === 'input_json_delta') json += more ?? '';
        else Object.assign(value, fields);
        return [];
      },
      stop: () => {
        const input = json === '' ? {} : { input: parseInput(json) };
        const all = { ...value, ...input };
        const { index, started } = this.#part({ type: 'opaque', format: 'messages', value: all });
        return [started, { type: 'part-end', index }];
      },
    };
  }
}

/** Decodes arguments: JSON fragments, or the whole input at the block's start from some upstreams. */
function fragments(index: number, input: unknown): OpenBlock {
  let seen = false;
  return {
    kind: 'input',
    delta({ partial_json: text }) {
      if (!text) return [];
      seen = true;
      return [{ type: 'part-delta', index, text }];
    },
    stop() {
      const text = seen ? '' : wholeInput(input);
      const end: GenerateEvent = { type: 'part-end', index };
      return text ? [{ type: 'part-delta', index, text }, end] : [end];
    },
  };
}

/** Decodes the free text of a custom tool, which is sent upstream as a function with one string parameter. */
function freeText(index: number, input: unknown): OpenBlock {
  let json = '';
  return {
    kind: 'input',
    delta({ partial_json: more }) {
      json += more ?? '';
      return [];
    },
    stop() {
      const text = unwrap(json || wholeInput(input));
      const end: GenerateEvent = { type: 'part-end', index };
      return text ? [{ type: 'part-delta', index, text }, end] : [end];
    },
  };
}

/** Returns the input at the block's start as JSON; an empty object is only a placeholder. */
function wholeInput(input: unknown): string {
  const filled = typeof input === 'object' && input !== null && Object.keys(input).length > 0;
  return filled ? JSON.stringify(input) : '';
}

function unwrap(json: string): string {
  const value = parseInput(json);
  const text = typeof value === 'object' && value !== null && 'input' in value ? value.input : undefined;
  return typeof text === 'string' ? text : json;
}

/** Parses JSON; returns malformed JSON as text. */
function parseInput(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function signature(value: string | null | undefined): { signature?: Signature } {
  return value ? { signature: { format: 'messages', value } } : {};
}

/** Reads the pages that a text block cites. Citations of the client's documents exist only in this format. */
export function decodeCitations(citations: unknown): Citation[] {
  if (!Array.isArray(citations)) return [];
  return citations.flatMap(value => {
    const { success, data } = messagesWebCitation.safeParse(value);
    return success ? [{ url: data.url, title: data.title ?? '' }] : [];
  });
}
