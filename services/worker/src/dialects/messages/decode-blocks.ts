import {
  type Citation,
  GatewayError,
  type GenerateEvent,
  type PartStart,
  type Signature,
} from '@model-gateway/canonical';
import {
  type MessagesUpstreamBlock,
  type MessagesUpstreamDelta,
  messagesWebCitation,
} from '@model-gateway/wire';
import type { KnownTool } from './encode-tools.ts';

/** A block that is open: what its deltas add, and what it comes to at its end. */
interface OpenBlock {
  delta(delta: MessagesUpstreamDelta): GenerateEvent[];
  stop(): GenerateEvent[];
}

/** Makes parts of blocks. Their numbers count what was really begun, so that none is left out. */
export class Blocks {
  readonly #tools: ReadonlyMap<string, KnownTool>;
  readonly #open = new Map<number, OpenBlock>();
  #parts = 0;
  #called = false;

  /** `tools` are those of the request, by the names under which the upstream knows them. */
  constructor(tools: ReadonlyMap<string, KnownTool>) {
    this.#tools = tools;
  }

  /** Whether a tool of the client was called. */
  get called(): boolean {
    return this.#called;
  }

  start(index: number, block: MessagesUpstreamBlock): GenerateEvent[] {
    const [open, events] = this.#begin(block);
    this.#open.set(index, open);
    return events;
  }

  delta(index: number, delta: MessagesUpstreamDelta): GenerateEvent[] {
    const open = this.#open.get(index);
    if (!open) throw new GatewayError('upstream', 'The upstream sent more of a block that it did not begin.');
    return open.delta(delta);
  }

  stop(index: number): GenerateEvent[] {
    const open = this.#open.get(index);
    this.#open.delete(index);
    return open?.stop() ?? [];
  }

  /** Ends what the upstream left open. */
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
        return [this.#whole(() => ({ type: 'reasoning', redacted: true }), signature(block.data)), []];
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

  /** Begins only with its first text: a part without any would be refused when it came back. */
  #text({ text, citations: given }: MessagesUpstreamBlock): [OpenBlock, GenerateEvent[]] {
    let index: number | undefined;
    const citations: Citation[] = decodeCitations(given);
    const add = (text: string | null | undefined): GenerateEvent[] => {
      if (!text) return [];
      if (index !== undefined) return [{ type: 'part-delta', index, text }];
      const part = this.#part({ type: 'text' });
      index = part.index;
      return [part.started, { type: 'part-delta', index, text }];
    };
    const open: OpenBlock = {
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
    let proof = block.signature ?? '';
    const more = (text: string | null | undefined): GenerateEvent[] =>
      text ? [{ type: 'part-delta', index, text }] : [];
    const open: OpenBlock = {
      delta(delta) {
        proof += delta.signature ?? '';
        return more(delta.thinking);
      },
      stop: () => [{ type: 'part-end', index, ...signature(proof) }],
    };
    return [open, [started, ...more(block.thinking)]];
  }

  #toolUse({ id, name, input }: MessagesUpstreamBlock): [OpenBlock, GenerateEvent[]] {
    if (!id || !name) throw new GatewayError('upstream', 'The upstream called a tool without id or name.');
    const tool = this.#tools.get(name);
    if (tool?.type === 'answer') return this.#answer(input);
    this.#called = true;
    const custom = tool?.type === 'custom';
    const { index, started } = this.#part({
      type: 'tool-call',
      id,
      name: tool?.name ?? name,
      ...(custom && { custom }),
    });
    const open = custom ? freeText(index, input) : fragments(index, input);
    return [open, [started]];
  }

  /** The answer of a model that keeps to a schema only in a tool call: its input is the text. */
  #answer(input: unknown): [OpenBlock, GenerateEvent[]] {
    const { index, started } = this.#part({ type: 'text' });
    return [fragments(index, input), [started]];
  }

  /** A block that only this format has: shown once all of it is here. */
  #opaque(block: MessagesUpstreamBlock): OpenBlock {
    const value: Record<string, unknown> = { ...block };
    let json = '';
    const whole = this.#whole(() => {
      const input = json === '' ? {} : { input: parseInput(json) };
      return { type: 'opaque', format: 'messages', value: { ...value, ...input } };
    });
    return {
      delta({ type, partial_json: more, ...fields }) {
        if (type === 'input_json_delta') json += more ?? '';
        else Object.assign(value, fields);
        return [];
      },
      stop: whole.stop,
    };
  }

  #whole(part: () => PartStart, end: { signature?: Signature } = {}): OpenBlock {
    return {
      delta: () => [],
      stop: () => {
        const { index, started } = this.#part(part());
        return [started, { type: 'part-end', index, ...end }];
      },
    };
  }
}

/** Arguments come in fragments of JSON, or whole at the block's start from upstreams that do not stream them. */
function fragments(index: number, input: unknown): OpenBlock {
  let seen = false;
  return {
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

/** The free text of a custom tool, which the upstream knows as a function with one text. */
function freeText(index: number, input: unknown): OpenBlock {
  let json = '';
  return {
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

/** The input that a block began with; an empty one holds the place of what follows. */
function wholeInput(input: unknown): string {
  const filled = typeof input === 'object' && input !== null && Object.keys(input).length > 0;
  return filled ? JSON.stringify(input) : '';
}

function unwrap(json: string): string {
  const value = parseInput(json);
  const text = typeof value === 'object' && value !== null && 'input' in value ? value.input : undefined;
  return typeof text === 'string' ? text : json;
}

/** JSON that is broken stays the text it was. */
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

/** The pages that a text block cites, all of it; places in the client's own documents have no twin in other formats. */
export function decodeCitations(given: unknown): Citation[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap(value => {
    const { success, data } = messagesWebCitation.safeParse(value);
    return success ? [{ url: data.url, title: data.title ?? '' }] : [];
  });
}
