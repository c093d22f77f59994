import type { Citation, GenerateEvent } from '@model-gateway/canonical';
import { wellFormed } from '../upstream/malformed.ts';
import { Flow, type NextPart } from './flow.ts';
import {
  type ResponsesUpstreamAnnotation,
  type ResponsesUpstreamItem,
  type ResponsesUpstreamPart,
  responsesUpstreamMessage,
} from './upstream-answer.ts';
import type { ResponsesStreamEvent } from './upstream-events.ts';

interface Piece {
  flow: Flow;
  citations: Citation[];
}

/** A message item. Each part of its content becomes a part. */
export class MessageItem {
  readonly #nextPart: NextPart;
  readonly #pieces = new Map<number, Piece>();
  #refused = false;

  constructor(nextPart: NextPart) {
    this.#nextPart = nextPart;
  }

  get refused(): boolean {
    return this.#refused;
  }

  take(event: ResponsesStreamEvent): GenerateEvent[] {
    switch (event.type) {
      case 'response.output_text.delta':
        return this.#piece(event.content_index, 'text').flow.add(event.delta);
      case 'response.output_text.done':
        return this.#piece(event.content_index, 'text').flow.whole(event.text);
      case 'response.output_text.annotation.added':
        this.#piece(event.content_index, 'text').citations.push(...decodeCitations([event.annotation]));
        return [];
      case 'response.refusal.delta':
        return this.#piece(event.content_index, 'refusal').flow.add(event.delta);
      case 'response.refusal.done':
        return this.#piece(event.content_index, 'refusal').flow.whole(event.refusal);
      case 'response.content_part.done':
        return this.#end(event.content_index, event.part);
      default:
        return [];
    }
  }

  done(item: ResponsesUpstreamItem): GenerateEvent[] {
    const { content } = wellFormed(responsesUpstreamMessage, item);
    return [...(content ?? []).flatMap((part, i) => this.#end(i, part)), ...this.stop()];
  }

  /** Ends the parts that the upstream left open. */
  stop(): GenerateEvent[] {
    return [...this.#pieces.values()].flatMap(close);
  }

  #piece(index: number, type: 'text' | 'refusal'): Piece {
    if (type === 'refusal') this.#refused = true;
    const found = this.#pieces.get(index);
    if (found) return found;
    const piece = { flow: new Flow({ type }, this.#nextPart), citations: [] };
    this.#pieces.set(index, piece);
    return piece;
  }

  /** Ends a part with its final content. */
  #end(index: number, { type, text, refusal, annotations }: ResponsesUpstreamPart): GenerateEvent[] {
    switch (type) {
      case 'output_text': {
        const piece = this.#piece(index, 'text');
        // The list includes the annotations already received one by one.
        if (annotations?.length) piece.citations = decodeCitations(annotations);
        return [...piece.flow.whole(text ?? ''), ...close(piece)];
      }
      case 'refusal': {
        const piece = this.#piece(index, 'refusal');
        return [...piece.flow.whole(refusal ?? ''), ...close(piece)];
      }
      default:
        return [];
    }
  }
}

function close({ flow, citations }: Piece): GenerateEvent[] {
  return flow.end(citations.length > 0 ? { citations } : {});
}

/** Returns the URL citations of a text. Other formats have no field for file citations. */
export function decodeCitations(annotations: readonly ResponsesUpstreamAnnotation[]): Citation[] {
  return annotations.flatMap(({ type, url, title, start_index: start, end_index: end }) => {
    if (type !== 'url_citation' || !url) return [];
    const place = typeof start === 'number' && typeof end === 'number' ? { start, end } : {};
    return [{ url, title: title ?? '', ...place }];
  });
}
