import type { GenerateEvent, PartStart } from '@model-gateway/canonical';
import type { ChatDelta } from '@model-gateway/wire';
import { decodeImage } from '../media/decode.ts';
import { ToolCalls } from '../tool-calls/decode.ts';

export interface AnswerOptions {
  /** The client's name of a tool. */
  toolName(wire: string): string;
  /** What is unique about the request, for ids that the upstream leaves out. */
  seed: string;
}

type Flowing = 'text' | 'reasoning' | 'refusal';

/** Makes parts of an answer's deltas: the format has no bounds between them. */
export class AnswerParts {
  readonly #calls: ToolCalls;
  #count = 0;
  /** The part that more text belongs to. */
  #open: { type: Flowing; index: number } | undefined;
  #refused = false;

  constructor(options: AnswerOptions) {
    this.#calls = new ToolCalls({ ...options, nextPart: () => this.#count++ });
  }

  /** The model called tools. */
  get called(): boolean {
    return this.#calls.any;
  }

  /** The model said why it will not answer. */
  get refused(): boolean {
    return this.#refused;
  }

  add(delta: ChatDelta): GenerateEvent[] {
    const { content, refusal, reasoning_content, reasoning, tool_calls, function_call, images } = delta;
    const events = [
      ...this.#text('reasoning', reasoning_content || reasoning),
      ...this.#text('text', content),
      ...this.#text('refusal', refusal),
      ...(images ?? []).flatMap(image => this.#image(image.image_url?.url)),
    ];
    const calls = function_call ? [{ index: -1, function: function_call }] : (tool_calls ?? []);
    if (calls.length === 0) return events;
    events.push(...this.#close());
    for (const call of calls) events.push(...this.#calls.add(call));
    return events;
  }

  /** Ends what is open. @throws GatewayError for a call that never got a name */
  end(): GenerateEvent[] {
    return [...this.#close(), ...this.#calls.endAll()];
  }

  #text(type: Flowing, text: string | null | undefined): GenerateEvent[] {
    if (!text) return [];
    if (this.#open?.type === type) return [{ type: 'part-delta', index: this.#open.index, text }];
    if (type === 'refusal') this.#refused = true;
    const ended = this.end();
    const index = this.#count++;
    this.#open = { type, index };
    return [...ended, { type: 'part-start', index, part: { type } }, { type: 'part-delta', index, text }];
  }

  #image(url: string | undefined): GenerateEvent[] {
    if (!url) return [];
    const ended = this.end();
    const index = this.#count++;
    const part: PartStart = decodeImage(url);
    return [...ended, { type: 'part-start', index, part }, { type: 'part-end', index }];
  }

  #close(): GenerateEvent[] {
    if (!this.#open) return [];
    const { index } = this.#open;
    this.#open = undefined;
    return [{ type: 'part-end', index }];
  }
}
