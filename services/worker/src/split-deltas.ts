import { type GenerateEvent, isLargeJson } from '@model-gateway/canonical';

/** The most characters of a delta that is passed on as one. */
const largest = 128 * 1024;

/** True if an event is a delta that is passed on in pieces. */
export function hasLargeDelta(events: readonly GenerateEvent[]): boolean {
  return events.some(event => event.type === 'part-delta' && event.text.length > largest);
}

/** True if events that are no result are too large to be passed on together. */
export function isLargeRun(events: readonly GenerateEvent[]): boolean {
  return events.length > 2 && isLargeJson(events);
}

/** The same events, with large deltas as several. */
export function* splitDeltas(events: readonly GenerateEvent[]): Generator<GenerateEvent> {
  for (const event of events) {
    if (event.type !== 'part-delta') yield event;
    else for (const text of pieces(event.text)) yield { ...event, text };
  }
}

function* pieces(text: string): Generator<string> {
  let at = 0;
  while (text.length - at > largest) {
    // The two halves of a surrogate pair stay together.
    const end = isHighSurrogate(text.charCodeAt(at + largest - 1)) ? at + largest - 1 : at + largest;
    yield text.slice(at, end);
    at = end;
  }
  yield text.slice(at);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
