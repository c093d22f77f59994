import type { Signature } from '@model-gateway/canonical';
import { writeSignature } from '../values/signatures.ts';
import type { ResponsesOutputItem } from './answer.ts';
import type { Items } from './render-items.ts';
import type { PartEnd, PartWriter } from './writer.ts';

type ReasoningItem = Extract<ResponsesOutputItem, { type: 'reasoning' }>;

/**
 * Writes reasoning as a summary, which every client reads. Reasoning without text is written only if it is
 * signed.
 */
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
    return opening + this.#items.delta('reasoning_summary_text.delta', text, ',"summary_index":0');
  }

  end({ signature }: PartEnd): string {
    if (!this.#item) return signature ? renderSignature(this.#items, signature, this.#redacted) : '';
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
 * Writes a reasoning item without text that carries another vendor's signature, so that clients send it back.
 * It signs hidden reasoning, or the text or call right before it.
 */
export function renderSignature(items: Items, { format, value }: Signature, redacted = false): string {
  const prefixed = redacted ? `${redactedPrefix}${value}` : value;
  const encrypted_content = writeSignature({ format, value: prefixed }, 'responses');
  const item: ReasoningItem = {
    type: 'reasoning',
    id: items.nextId('reasoning'),
    summary: [],
    status: 'in_progress',
  };
  return items.open(item, { encrypted_content });
}

/**
 * Precedes the signature of redacted reasoning. It is unambiguous: signatures are base64, which has no colon.
 */
export const redactedPrefix = 'redacted:';
