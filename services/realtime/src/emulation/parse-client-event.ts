import { type RealtimeClientEvent, realtimeClientEvent } from '@model-gateway/formats';
import { exceededBound, isJsonObject, parseInSteps, parseJsonObject, type Turn } from '@model-gateway/json';
import { check, invalid } from './check.ts';

/** A client's message: its event or its error. `eventId` is the client's `event_id`, if it can be read. */
interface ReadEvent {
  eventId: string | null;
  /** @throws GatewayError of kind `invalid-request` */
  event(): RealtimeClientEvent;
}

/** A client's message as a JSON object; undefined if it is none. */
export type ClientObject = Record<string, unknown> | undefined;

export function readClientEvent(data: Uint8Array): ReadEvent {
  return readClientObject(parseJsonObject(data));
}

/** `translate` converts the event to the current protocol. */
export function readClientObject(
  object: ClientObject,
  translate = (event: Record<string, unknown>) => event,
): ReadEvent {
  const id = object?.event_id;
  return {
    eventId: typeof id === 'string' ? id.slice(0, 512) : null,
    event() {
      if (!object) throw invalid(null, 'The message is not a valid JSON object.', 'invalid_json');
      return check(realtimeClientEvent, translate(object));
    },
  };
}

/** Size from which a message is parsed in steps, in bytes. */
const largeMessage = 1024 * 1024;

/** Parses a message; a large one in steps, which `turn` separates. */
export function parseClientObject(data: Uint8Array, turn: Turn): ClientObject | Promise<ClientObject> {
  return data.length < largeMessage ? parseJsonObject(data) : parseLarge(data, turn);
}

async function parseLarge(data: Uint8Array, turn: Turn): Promise<ClientObject> {
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString('utf8');
  await turn();
  if (exceededBound(text)) return undefined;
  await turn();
  const value = await parseInSteps(text, turn).catch(() => undefined);
  return isJsonObject(value) ? value : undefined;
}
