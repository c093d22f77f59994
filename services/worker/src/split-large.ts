import type { GenerateEvent, VerbatimEvent } from '@model-gateway/canonical';
import { isLargeJson } from '@model-gateway/json';

/** The largest delta, in characters, or verbatim event, in bytes, that is sent in one piece. */
const largePiece = 128 * 1024;

/** True if an event must be sent in pieces. */
export function hasLarge(events: readonly GenerateEvent[]): boolean {
  return events.some(
    event =>
      (event.type === 'part-delta' && event.text.length > largePiece) ||
      (event.type === 'verbatim' && event.bytes.length > largePiece),
  );
}

/** True if events without a result are too large to be sent together. */
export function isLargeRun(events: readonly GenerateEvent[]): boolean {
  return events.length > 2 && isLargeJson(events);
}

/** Yields the events, large ones in pieces. */
export function* splitLarge(events: readonly GenerateEvent[]): Generator<GenerateEvent> {
  for (const event of events) {
    if (event.type === 'part-delta') for (const text of textPieces(event.text)) yield { ...event, text };
    else if (event.type === 'verbatim') yield* verbatimPieces(event);
    else yield event;
  }
}

/** Splits a verbatim event; `whole` stays with the first piece. */
function* verbatimPieces({ bytes, whole, partial = false }: VerbatimEvent): Generator<VerbatimEvent> {
  for (let at = 0; at === 0 || at < bytes.length; at += largePiece) {
    const more = at + largePiece < bytes.length;
    yield {
      type: 'verbatim',
      bytes: bytes.subarray(at, at + largePiece),
      ...((more || partial) && { partial: true }),
      ...(at === 0 && whole && { whole }),
    };
  }
}

function* textPieces(text: string): Generator<string> {
  let at = 0;
  while (text.length - at > largePiece) {
    // The two halves of a surrogate pair stay together.
    const end = isHighSurrogate(text.charCodeAt(at + largePiece - 1)) ? at + largePiece - 1 : at + largePiece;
    yield text.slice(at, end);
    at = end;
  }
  yield text.slice(at);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
