import { type Ending, GatewayError, type PartStart } from '@model-gateway/canonical';
import { renderIncomplete } from './finish.ts';
import { withoutPrefix } from './ids.ts';
import { writeSummary } from './summary.ts';
import type { Frame, OutputEnd, OutputWriter } from './writer.ts';

interface CompactionItem {
  type: 'compaction';
  id: string;
  encrypted_content: string;
}

/** Renders a summary as an item. */
export function renderSummary(text: string, requestId: string): CompactionItem {
  return { type: 'compaction', id: `cmp_${withoutPrefix(requestId)}`, encrypted_content: writeSummary(text) };
}

export function noSummary(): GatewayError {
  return new GatewayError('upstream', 'The model returned no summary, or an incomplete one.');
}

/** Collects the text of a response as one compaction item: the summary of the conversation. */
export class SummaryOutput implements OutputWriter {
  readonly items: CompactionItem[] = [];
  readonly #requestId: string;
  readonly #frame: Frame;
  readonly #texts = new Map<number, string>();

  constructor(requestId: string, frame: Frame) {
    this.#requestId = requestId;
    this.#frame = frame;
  }

  start(index: number, part: PartStart): string {
    if (part.type === 'text') this.#texts.set(index, '');
    return '';
  }

  add(index: number, text: string): string {
    const before = this.#texts.get(index);
    if (before !== undefined) this.#texts.set(index, before + text);
    return '';
  }

  end(): string {
    return '';
  }

  finish(ending: Ending): OutputEnd {
    const incomplete = renderIncomplete(ending, false);
    if (incomplete) return { text: '', incomplete };
    const text = [...this.#texts.values()].join('');
    if (text === '') return { text, incomplete, failed: noSummary() };
    const item = renderSummary(text, this.#requestId);
    this.items.push(item);
    const event = (type: string) => this.#frame(type, { output_index: 0, item });
    return {
      text: event('response.output_item.added') + event('response.output_item.done'),
      incomplete,
    };
  }
}
