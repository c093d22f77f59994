import type { GenerateEvent } from '@model-gateway/canonical';
import { wellFormed } from '../upstream/malformed.ts';
import { Flow, type NextPart } from './flow.ts';
import { writeSignature } from './sanitize-history.ts';
import { type ResponsesUpstreamItem, responsesUpstreamReasoning } from './upstream-answer.ts';
import type { ResponsesStreamEvent } from './upstream-events.ts';

/** The separator of summary parts. */
const separator = '\n\n';

/** A reasoning item. It becomes one part, from either its summary or its content. */
export class ReasoningItem {
  readonly #flow: Flow;
  /** The source of the text: the one that arrived first. */
  #source: 'summary' | 'content' | undefined;
  /** Characters received, by part index. */
  readonly #lengths = new Map<number, number>();

  constructor(nextPart: NextPart) {
    this.#flow = new Flow({ type: 'reasoning' }, nextPart);
  }

  take(event: ResponsesStreamEvent): GenerateEvent[] {
    switch (event.type) {
      case 'response.reasoning_summary_text.delta':
        return this.#add('summary', event.summary_index, event.delta);
      case 'response.reasoning_summary_text.done':
        return this.#whole('summary', event.summary_index, event.text);
      case 'response.reasoning_summary_part.done':
        return this.#whole('summary', event.summary_index, event.part.text);
      case 'response.reasoning_text.delta':
        return this.#add('content', event.content_index, event.delta);
      case 'response.reasoning_text.done':
        return this.#whole('content', event.content_index, event.text);
      case 'response.content_part.done':
        return this.#whole('content', event.content_index, event.part.text);
      default:
        return [];
    }
  }

  done(item: ResponsesUpstreamItem): GenerateEvent[] {
    const read = wellFormed(responsesUpstreamReasoning, item);
    const { id, summary, content, encrypted_content: encrypted } = read;
    const rest = [
      ...(summary ?? []).flatMap(({ text }, i) => this.#whole('summary', i, text)),
      ...(content ?? []).flatMap(({ text }, i) => this.#whole('content', i, text)),
    ];
    if (!encrypted) return [...rest, ...this.#flow.end()];
    const signature = writeSignature({ ...(id && { id }), encrypted });
    return [...rest, ...this.#flow.begin(), ...this.#flow.end({ signature })];
  }

  stop(): GenerateEvent[] {
    return this.#flow.end();
  }

  #add(from: 'summary' | 'content', index: number, text: string): GenerateEvent[] {
    if (text === '') return [];
    this.#source ??= from;
    if (this.#source !== from) return [];
    const before = this.#lengths.get(index) ?? 0;
    this.#lengths.set(index, before + text.length);
    const gap = before === 0 && this.#flow.length > 0 ? separator : '';
    return this.#flow.add(gap + text);
  }

  #whole(from: 'summary' | 'content', index: number, text: string | null | undefined): GenerateEvent[] {
    if (this.#source && this.#source !== from) return [];
    return this.#add(from, index, (text ?? '').slice(this.#lengths.get(index) ?? 0));
  }
}
