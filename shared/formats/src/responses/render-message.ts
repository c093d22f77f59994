import type { Citation } from '@model-gateway/canonical';
import type { ResponsesMessagePart, ResponsesUrlCitation } from './answer.ts';
import type { Items } from './render-items.ts';
import { renderSignature } from './render-reasoning.ts';
import type { PartEnd, PartWriter } from './writer.ts';

/**
 * Writes a text or refusal into the open message or a new one. An empty text is omitted: clients would send
 * it back.
 */
export class MessagePartWriter implements PartWriter {
  readonly #items: Items;
  readonly #type: 'text' | 'refusal';
  #text = '';

  constructor(items: Items, type: 'text' | 'refusal') {
    this.#items = items;
    this.#type = type;
  }

  write(text: string): string {
    const opening = this.#text === '' ? this.#open() : '';
    this.#text += text;
    const place = `,"content_index":${this.#items.message?.content.length ?? 0}`;
    return (
      opening +
      (this.#type === 'text'
        ? this.#items.delta('output_text.delta', text, place, ',"logprobs":[]')
        : this.#items.delta('refusal.delta', text, place))
    );
  }

  end({ signature, citations = [] }: PartEnd): string {
    const events = this.#text === '' ? '' : this.#close(wholePart(this.#type, this.#text, citations));
    return signature ? events + renderSignature(this.#items, signature) : events;
  }

  #open(): string {
    const items = this.#items;
    const message = items.message ? '' : items.open(emptyMessage(items.nextId('message')));
    return message + this.#event('content_part.added', { part: wholePart(this.#type, '') });
  }

  #close(part: ResponsesMessagePart): string {
    const ended =
      part.type === 'output_text'
        ? this.#endText(part)
        : this.#event('refusal.done', { refusal: part.refusal });
    const done = this.#event('content_part.done', { part });
    this.#items.message?.content.push(part);
    return ended + done;
  }

  #endText({ text, annotations }: Extract<ResponsesMessagePart, { type: 'output_text' }>): string {
    const cited = annotations.map((annotation, annotation_index) =>
      this.#event('output_text.annotation.added', { annotation_index, annotation }),
    );
    return cited.join('') + this.#event('output_text.done', { text, logprobs: [] });
  }

  #event(name: string, fields: Record<string, unknown>): string {
    return this.#items.event(name, { content_index: this.#items.message?.content.length ?? 0, ...fields });
  }
}

function emptyMessage(id: string) {
  return {
    type: 'message' as const,
    id,
    role: 'assistant' as const,
    status: 'in_progress' as const,
    content: [],
  };
}

function wholePart(
  type: 'text' | 'refusal',
  text: string,
  citations: readonly Citation[] = [],
): ResponsesMessagePart {
  if (type === 'refusal') return { type, refusal: text };
  return { type: 'output_text', text, annotations: renderCitations(citations, text.length), logprobs: [] };
}

/** Renders citations. One without a range covers the whole text, which has `length` characters. */
function renderCitations(citations: readonly Citation[], length: number): ResponsesUrlCitation[] {
  return citations.map(({ url, title, start = 0, end = length }) => ({
    type: 'url_citation',
    url,
    title,
    start_index: start,
    end_index: end,
  }));
}
