import {
  answerBounds,
  exceededBound,
  GatewayError,
  type GenerateEvent,
  toErrorEvent,
} from '@model-gateway/canonical';

/** The most characters of an answer's events as JSON; bytes that are passed on as they came are not among them. */
export const maxEvents = 40_000_000;

/** The events of a whole answer, or an error in their place where they are too much for the processes that they still pass through. */
export function bounded(events: GenerateEvent[] | undefined): GenerateEvent[] | undefined {
  const text = JSON.stringify(events?.filter(({ type }) => type !== 'verbatim') ?? []);
  if (text.length <= maxEvents && !exceededBound(text, answerBounds)) return events;
  return [toErrorEvent(tooLargeToTranslate())];
}

export function tooLargeToTranslate(): GatewayError {
  return new GatewayError('upstream', 'The upstream sent too large an answer to be translated.');
}
