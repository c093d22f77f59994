import { type ResponsesStreamEvent, responsesEventTypes, responsesStreamEvent } from '@model-gateway/wire';
import { eventObject, type StreamEvent } from '../stream-events.ts';
import { answerFailure } from './decode-failure.ts';
import { malformed } from './malformed.ts';

export interface EventFields extends Record<string, unknown> {
  type: string;
}

/** The fields of one event. @throws GatewayError for what is no event, and for one that tells an error */
export function readFields(given: StreamEvent): EventFields {
  const fields = eventObject(given);
  if (!fields) throw malformed('event');
  const { type = given.event, error } = fields;
  // Some upstreams send an error as a body of its own.
  if (type === 'error' || (type === undefined && error)) throw answerFailure(fields);
  if (type !== fields.type || typeof type !== 'string') fields.type = String(type);
  return fields as EventFields;
}

/** Undefined for an event of a kind that is new. @throws GatewayError for one that is broken */
export function readEvent(fields: EventFields): ResponsesStreamEvent | undefined {
  if (!responsesEventTypes.has(fields.type)) return undefined;
  const { success, data, error } = responsesStreamEvent.safeParse(fields);
  if (success) return data;
  throw malformed('event', error);
}

const lifecycle = new Set(
  ['created', 'queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'].map(
    step => `response.${step}`,
  ),
);

/** Whether an event is about the response as a whole. */
export function isLifecycle({ type }: EventFields): boolean {
  return lifecycle.has(type);
}

/** How much an event adds to the text of an answer, for whoever must guess at its tokens. */
export function charactersOf({ type, delta }: EventFields): number {
  const isText = typeof delta === 'string' && !type.startsWith('response.audio.');
  return isText ? delta.length : 0;
}
