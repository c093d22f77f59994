import { GatewayError } from '@model-gateway/canonical';
import type { ChatContentPiece } from '@model-gateway/wire';

/** Text of an answer, by what it is. */
export interface Said {
  type: 'text' | 'reasoning';
  text: string;
}

/** A delta's or a message's content, as one text or as a list of pieces. @throws GatewayError for what is neither */
export function decodeContent(content: string | ChatContentPiece[] | null | undefined): Said[] {
  if (!content) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw malformed();
  return content.flatMap(decodePiece);
}

function decodePiece({ type, text = '', thinking = [] }: ChatContentPiece): Said[] {
  switch (type) {
    case 'text':
      return [{ type, text }];
    case 'thinking':
      return decodeContent(thinking).map(({ text }) => ({ type: 'reasoning', text }));
    // References to sources, which hold no text.
    default:
      return [];
  }
}

/** A text, as a field of an answer ought to hold it. @throws GatewayError for anything else */
export function asText(value: unknown): string {
  if (typeof value !== 'string') throw malformed();
  return value;
}

function malformed(): GatewayError {
  return new GatewayError('upstream', 'The upstream sent a malformed event.');
}
