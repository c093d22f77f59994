import { type GenerateEvent, isLargeJson, type VerbatimEvent } from '@model-gateway/canonical';

/** The most characters of a delta, or bytes, that are passed on as one. */
export const largePiece = 128 * 1024;

/** True if an event is passed on in pieces. */
export function hasLarge(events: readonly GenerateEvent[]): boolean {
  return events.some(
    event =>
      (event.type === 'part-delta' && event.text.length > largePiece) ||
      (event.type === 'verbatim' && event.bytes.length > largePiece),
  );
}

/** True if events that are no result are too large to be passed on together. */
export function isLargeRun(events: readonly GenerateEvent[]): boolean {
  return events.length > 2 && isLargeJson(events);
}

/** The same events, with large ones as several. */
export function* splitLarge(events: readonly GenerateEvent[]): Generator<GenerateEvent> {
  for (const event of events) {
    if (event.type === 'part-delta') for (const text of pieces(event.text)) yield { ...event, text };
    else if (event.type === 'verbatim') yield* parts(event);
    else yield event;
  }
}

/** Bytes that were meant as one; what tells of a whole answer goes with the first of them. */
function* parts({ bytes, whole, partial = false }: VerbatimEvent): Generator<VerbatimEvent> {
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

function* pieces(text: string): Generator<string> {
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
