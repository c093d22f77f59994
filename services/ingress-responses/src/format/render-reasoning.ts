import { type Signature, writeSignature } from '@model-gateway/canonical';
import type { ResponsesOutputItem } from '@model-gateway/wire';
import type { Items } from './render-output.ts';
import type { PartEnd, PartWriter } from './writer.ts';

type ReasoningItem = Extract<ResponsesOutputItem, { type: 'reasoning' }>;

/** Writes reasoning as its summary, which every client reads. Without text it is shown if something proves it. */
export class ReasoningWriter implements PartWriter {
  readonly #items: Items;
  readonly #redacted: boolean;
  #item: ReasoningItem | undefined;
  #text = '';

  constructor(items: Items, redacted: boolean) {
    this.#items = items;
    this.#redacted = redacted;
  }

  write(text: string): string {
    const opening = this.#item ? '' : this.#open();
    this.#text += text;
    return opening + this.#event('text.delta', { delta: text });
  }

  end({ signature }: PartEnd): string {
    if (!this.#item) return signature ? renderProof(this.#items, signature, this.#redacted) : '';
    const text = this.#text;
    const part = { type: 'summary_text' as const, text };
    this.#item.summary.push(part);
    if (signature) this.#item.encrypted_content = writeSignature(signature, 'responses');
    return this.#event('text.done', { text }) + this.#event('part.done', { part });
  }

  #open(): string {
    const item: ReasoningItem = {
      type: 'reasoning',
      id: this.#items.nextId('reasoning'),
      summary: [],
      status: 'in_progress',
    };
    this.#item = item;
    const added = this.#items.open(item);
    return added + this.#event('part.added', { part: { type: 'summary_text', text: '' } });
  }

  #event(name: string, fields: Record<string, unknown>): string {
    return this.#items.event(`reasoning_summary_${name}`, { summary_index: 0, ...fields });
  }
}

/**
 * An item that shows nothing and proves what other vendors sign, since clients send it back: reasoning whose text is hidden,
 * or the text or call right before it.
 */
export function renderProof(items: Items, { format, value }: Signature, redacted = false): string {
  const marked = redacted ? `${redactedMark}${value}` : value;
  const encrypted_content = writeSignature({ format, value: marked }, 'responses');
  const item: ReasoningItem = {
    type: 'reasoning',
    id: items.nextId('reasoning'),
    summary: [],
    status: 'in_progress',
  };
  return items.open(item, { encrypted_content });
}

/** Stands before a proof that is all of its reasoning: proofs are base64, which has no colon. */
export const redactedMark = 'redacted:';
