import type { MediaPart } from '@model-gateway/canonical';
import { MessagePartWriter } from './render-message.ts';
import type { Items } from './render-output.ts';
import type { PartWriter } from './writer.ts';

/** Writes what the model made: a picture is an item of its own; for other media a link is what clients can show. */
export class MediaWriter implements PartWriter {
  readonly #items: Items;
  readonly #part: MediaPart;

  constructor(items: Items, part: MediaPart) {
    this.#items = items;
    this.#part = part;
  }

  write(): string {
    return '';
  }

  end(): string {
    const { kind, source } = this.#part;
    if (kind === 'image' && source.type === 'base64') return this.#picture(source.data);
    const text = new MessagePartWriter(this.#items, 'text');
    return text.write(mediaText(this.#part)) + text.end({});
  }

  #picture(result: string): string {
    const type = 'image_generation_call' as const;
    return this.#items.open({ type, id: this.#items.nextId(type), status: 'completed', result });
  }
}

function mediaText({ kind, source, mediaType, name }: MediaPart): string {
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
