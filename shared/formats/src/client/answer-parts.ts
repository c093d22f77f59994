import type { MediaPart } from '@model-gateway/canonical';

/** Parts of an answer that are written one after another, in the order of their indexes, in which they begin. */
export class PartQueue<Part> {
  readonly #parts = new Map<number, Part>();
  /** No part before it is left. A map is slow to find its first entry behind many that were deleted. */
  #at = 0;
  #next = 0;

  add(index: number, part: Part): void {
    this.#parts.set(index, part);
    this.#at = Math.min(this.#at, index);
    this.#next = Math.max(this.#next, index + 1);
  }

  get(index: number): Part | undefined {
    return this.#parts.get(index);
  }

  /** The part that is written now. */
  get first(): Part | undefined {
    while (this.#at < this.#next && !this.#parts.has(this.#at)) this.#at++;
    return this.#parts.get(this.#at);
  }

  removeFirst(): void {
    this.#parts.delete(this.#at);
  }

  all(): Iterable<Part> {
    return this.#parts.values();
  }
}

/** Renders media as a Markdown link, for a format whose responses have no media. */
export function mediaMarkdown({ kind, source, mediaType, name }: MediaPart): string {
  switch (source.type) {
    case 'text':
      return source.text;
    case 'file':
      return `[${name ?? kind}: ${source.id}]`;
    case 'url':
    case 'base64': {
      const url = source.type === 'url' ? source.url : `data:${mediaType ?? ''};base64,${source.data}`;
      return `${kind === 'image' ? '!' : ''}[${name ?? kind}](${url})`;
    }
  }
}
