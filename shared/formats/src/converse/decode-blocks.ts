import {
  type Citation,
  GatewayError,
  type GenerateEvent,
  type PartStart,
  type Signature,
} from '@model-gateway/canonical';
import { AnswerIds, type AnswerIdsOptions } from '../upstream/call-ids.ts';
import { findTool, type KnownTool } from '../upstream/tools.ts';
import { type ConverseUpstreamBlock, type ConverseUpstreamDelta, converseCitation } from './types.ts';

/** The handler of an open block's deltas and its end. */
interface OpenBlock {
  /** The field of a delta that belongs to the block. */
  kind: 'text' | 'toolUse' | 'reasoningContent';
  delta(delta: ConverseUpstreamDelta): GenerateEvent[];
  stop(): GenerateEvent[];
}

export interface BlocksOptions extends AnswerIdsOptions {
  /** The request's tools, by their names at the upstream. */
  tools: ReadonlyMap<string, KnownTool>;
}

/** Turns content blocks into parts. Part indexes count only started parts, so that they have no gaps. */
export class Blocks {
  readonly #tools: ReadonlyMap<string, KnownTool>;
  readonly #ids: AnswerIds;
  readonly #open = new Map<number, OpenBlock>();
  #parts = 0;
  /** True if the model called a tool of the client. */
  called = false;

  constructor(options: BlocksOptions) {
    this.#tools = options.tools;
    this.#ids = new AnswerIds(options);
  }

  /** Starts the block of a tool call; the other blocks start with their first delta. */
  start(at: number, toolUse: ConverseUpstreamBlock['toolUse']): GenerateEvent[] {
    if (!toolUse) return [];
    const { toolUseId, name } = toolUse;
    if (!name) throw new GatewayError('upstream', 'The upstream sent a tool call without a name.');
    // An index that is used again ends the block that had it.
    const ended = this.stop(at);
    const tool = findTool(this.#tools, name);
    if (tool?.type === 'answer') {
      const { index, started } = this.#part({ type: 'text' });
      this.#open.set(at, this.#input(index));
      return [...ended, started];
    }
    this.called = true;
    const custom = tool?.type === 'custom';
    const id = this.#ids.of(toolUseId);
    const part: PartStart = { type: 'tool-call', id, name: tool?.name ?? name, ...(custom && { custom }) };
    const { index, started } = this.#part(part);
    this.#open.set(at, custom ? freeText(index) : this.#input(index));
    return [...ended, started];
  }

  delta(at: number, delta: ConverseUpstreamDelta): GenerateEvent[] {
    const kind = kindOf(delta);
    const open = this.#open.get(at);
    if (kind === undefined) return [];
    if (open && (open.kind === kind || kind === 'citation')) return open.delta(delta);
    if (kind === 'toolUse')
      throw new GatewayError('upstream', 'The upstream sent a delta for a tool call that it did not start.');
    const ended = open ? this.stop(at) : [];
    const begun = kind === 'reasoningContent' ? this.#reasoning() : this.#text();
    this.#open.set(at, begun);
    return [...ended, ...begun.delta(delta)];
  }

  stop(at: number): GenerateEvent[] {
    const open = this.#open.get(at);
    this.#open.delete(at);
    return open?.stop() ?? [];
  }

  /** Ends the blocks that the upstream left open. */
  stopAll(): GenerateEvent[] {
    return [...this.#open.keys()].flatMap(at => this.stop(at));
  }

  #part(part: PartStart): { index: number; started: GenerateEvent } {
    const index = this.#parts++;
    return { index, started: { type: 'part-start', index, part } };
  }

  #input(index: number): OpenBlock {
    return {
      kind: 'toolUse',
      delta: ({ toolUse }) => (toolUse?.input ? [{ type: 'part-delta', index, text: toolUse.input }] : []),
      stop: () => [{ type: 'part-end', index }],
    };
  }

  /** Starts the part at its first text: an empty one would be refused when the client sends it back. */
  #text(): OpenBlock {
    let index: number | undefined;
    const citations: Citation[] = [];
    return {
      kind: 'text',
      delta: ({ text, citation }) => {
        citations.push(...citationOf(citation));
        if (!text) return [];
        if (index !== undefined) return [{ type: 'part-delta', index, text }];
        const part = this.#part({ type: 'text' });
        index = part.index;
        return [part.started, { type: 'part-delta', index, text }];
      },
      stop: () =>
        index === undefined ? [] : [{ type: 'part-end', index, ...(citations.length > 0 && { citations }) }],
    };
  }

  #reasoning(): OpenBlock {
    let index: number | undefined;
    let signed = '';
    let redacted = '';
    return {
      kind: 'reasoningContent',
      delta: ({ reasoningContent }) => {
        const { text, signature, redactedContent } = reasoningContent ?? {};
        signed += signature ?? '';
        redacted += redactedContent ?? '';
        if (!text && !(signature && index === undefined)) return [];
        const begun = index === undefined ? this.#part({ type: 'reasoning' }) : undefined;
        index ??= begun?.index ?? 0;
        return [
          ...(begun ? [begun.started] : []),
          ...(text ? [{ type: 'part-delta' as const, index, text }] : []),
        ];
      },
      stop: () => {
        const ended: GenerateEvent[] =
          index === undefined ? [] : [{ type: 'part-end', index, ...signature(signed) }];
        if (redacted === '') return ended;
        const part = this.#part({ type: 'reasoning', redacted: true });
        return [...ended, part.started, { type: 'part-end', index: part.index, ...signature(redacted) }];
      },
    };
  }
}

/** Decodes the free text of a custom tool, which is sent upstream as a function with one string parameter. */
function freeText(index: number): OpenBlock {
  let json = '';
  return {
    kind: 'toolUse',
    delta({ toolUse }) {
      json += toolUse?.input ?? '';
      return [];
    },
    stop() {
      const text = unwrapped(json);
      const end: GenerateEvent = { type: 'part-end', index };
      return text ? [{ type: 'part-delta', index, text }, end] : [end];
    },
  };
}

function unwrapped(json: string): string {
  try {
    const { input } = Object(JSON.parse(json)) as { input?: unknown };
    return typeof input === 'string' ? input : json;
  } catch {
    return json;
  }
}

function kindOf(delta: ConverseUpstreamDelta): OpenBlock['kind'] | 'citation' | undefined {
  if (delta.toolUse) return 'toolUse';
  if (delta.reasoningContent) return 'reasoningContent';
  if (typeof delta.text === 'string') return 'text';
  return delta.citation ? 'citation' : undefined;
}

function signature(value: string): { signature?: Signature } {
  return value ? { signature: { format: 'converse', value } } : {};
}

/** Reads a page that the text cites. Citations of the client's documents exist only in this format. */
function citationOf(value: unknown): Citation[] {
  const { title, location } = converseCitation.safeParse(value).data ?? {};
  const url = location?.web?.url;
  return url ? [{ url, title: title ?? '' }] : [];
}

/** Returns a block of a whole answer as the deltas that a stream would have. `input` is the exact JSON of a call's input. */
export function deltasOf(block: ConverseUpstreamBlock, input: string): ConverseUpstreamDelta[] {
  const { text, toolUse, reasoningContent, citationsContent } = block;
  if (toolUse) return [{ toolUse: { input } }];
  if (reasoningContent) {
    const { reasoningText, redactedContent } = reasoningContent;
    return [{ reasoningContent: { ...reasoningText, redactedContent } }];
  }
  if (citationsContent)
    return [
      ...(citationsContent.content ?? []).map(({ text }) => ({ text })),
      ...(citationsContent.citations ?? []).map(citation => ({ citation })),
    ];
  return typeof text === 'string' ? [{ text }] : [];
}
