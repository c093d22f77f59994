import { parseJsonObject } from '@model-gateway/json';
import { type RealtimeClientEvent, realtimeClientEvent } from '@model-gateway/wire';
import { check, invalid } from './check.ts';

/** A client's message: its event or its error. `eventId` is the client's `event_id`, if it can be read. */
interface ReadEvent {
  eventId: string | null;
  /** @throws GatewayError of kind `invalid-request` */
  event(): RealtimeClientEvent;
}

export function readClientEvent(data: Uint8Array): ReadEvent {
  const object = parseJsonObject(data);
  const id = object?.event_id;
  return {
    eventId: typeof id === 'string' ? id.slice(0, 512) : null,
    event() {
      if (!object) throw invalid(null, 'The message is not a valid JSON object.', 'invalid_json');
      return check(realtimeClientEvent, object);
    },
  };
}
