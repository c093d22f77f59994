import {
  type Citation,
  GatewayError,
  type GenerateEvent,
  type Message,
  type PartStart,
} from '@model-gateway/canonical';
import { AnswerIds } from '../upstream/call-ids.ts';
import type { CohereChatEvent, CohereCitation } from './types.ts';

type ToolCall = NonNullable<NonNullable<CohereChatEvent['delta']>['message']>['tool_calls'];

interface PartsOptions {
  seed: string;
  /** The conversation before the answer. */
  history?: readonly Message[];
  toolName(wire: string): string;
}

/** Makes parts of an answer's pieces. One text or reasoning part is open at a time; calls are told apart by index. */
export class Parts {
  readonly #options: PartsOptions;
  readonly #ids: AnswerIds;
  readonly #calls = new Map<number, number>();
  readonly #citations: Citation[] = [];
  #count = 0;
  #open: { type: 'text' | 'reasoning'; index: number } | undefined;

  constructor(options: PartsOptions) {
    this.#options = options;
    this.#ids = new AnswerIds(options);
  }

  /** True if the model called a tool. */
  called = false;

  text(text: string | null | undefined): GenerateEvent[] {
    return this.#add('text', text);
  }

  reasoning(text: string | null | undefined): GenerateEvent[] {
    return this.#add('reasoning', text);
  }

  /**
   * Adds a piece of a call; the first one has its name. A name begins another call, whatever the index says.
   * @throws GatewayError for a piece without a call
   */
  call(index: number, call: ToolCall): GenerateEvent[] {
    const { name, arguments: json } = call?.function ?? {};
    const part = name ? undefined : this.#calls.get(index);
    if (part !== undefined) return json ? [{ type: 'part-delta', index: part, text: json }] : [];
    if (!name) throw new GatewayError('upstream', 'The upstream sent a tool call without a name.');
    const ended = [...this.#close(), ...this.#endCall(index)];
    const id = this.#ids.of(call?.id);
    const { at, started } = this.#start({ type: 'tool-call', id, name: this.#options.toolName(name) });
    this.#calls.set(index, at);
    this.called = true;
    return [...ended, started, ...(json ? [{ type: 'part-delta' as const, index: at, text: json }] : [])];
  }

  /** Keeps the sources of a citation that have an address; others cannot be expressed. */
  cite(citation: CohereCitation | null | undefined): void {
    const { start, end, sources } = citation ?? {};
    const place = typeof start === 'number' && typeof end === 'number' ? { start, end } : {};
    for (const { document, tool_output: output } of sources ?? []) {
      const { url, title } = document ?? output ?? {};
      if (url) this.#citations.push({ url, title: title ?? '', ...place });
    }
  }

  /** Ends the open parts. */
  end(): GenerateEvent[] {
    return [...this.#close(), ...[...this.#calls.keys()].flatMap(index => this.#endCall(index))];
  }

  #endCall(index: number): GenerateEvent[] {
    const part = this.#calls.get(index);
    this.#calls.delete(index);
    return part === undefined ? [] : [{ type: 'part-end', index: part }];
  }

  #add(type: 'text' | 'reasoning', text: string | null | undefined): GenerateEvent[] {
    if (!text) return [];
    if (this.#open?.type === type) return [{ type: 'part-delta', index: this.#open.index, text }];
    const ended = this.#close();
    const { at: index, started } = this.#start({ type });
    this.#open = { type, index };
    return [...ended, started, { type: 'part-delta', index, text }];
  }

  #start(part: PartStart): { at: number; started: GenerateEvent } {
    const at = this.#count++;
    return { at, started: { type: 'part-start', index: at, part } };
  }

  #close(): GenerateEvent[] {
    if (!this.#open) return [];
    const { type, index } = this.#open;
    this.#open = undefined;
    const citations = type === 'text' ? this.#citations.splice(0) : [];
    return [{ type: 'part-end', index, ...(citations.length > 0 && { citations }) }];
  }
}
