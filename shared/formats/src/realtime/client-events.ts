import { z } from 'zod';
import { jsonObject as object } from '../values/schemas.ts';

/*
 * Events that a client of a realtime session sends, as in the types of OpenAI's SDK (RealtimeClientEvent).
 * Items and the settings of sessions and responses have separate schemas, since their errors have separate
 * paths.
 */

const text = z.string();
const id = text.min(1);

/** The most base64 characters in one `input_audio_buffer.append`: 15 MiB. */
export const realtimeAppendLimit = 15 * 1024 * 1024;

function event<T extends string, S extends z.ZodRawShape>(type: T, shape: S) {
  return z.looseObject({ type: z.literal(type), event_id: text.max(512).nullish(), ...shape });
}

const events = [
  event('session.update', { session: object }),
  event('conversation.item.create', {
    item: object,
    /** The item to insert after; `root` for the start, absent for the end. */
    previous_item_id: id.nullish(),
  }),
  event('conversation.item.retrieve', { item_id: id }),
  event('conversation.item.truncate', {
    item_id: id,
    content_index: z.int().min(0),
    audio_end_ms: z.number().min(0),
  }),
  event('conversation.item.delete', { item_id: id }),
  event('input_audio_buffer.append', { audio: text.max(realtimeAppendLimit) }),
  event('input_audio_buffer.commit', {}),
  event('input_audio_buffer.clear', {}),
  event('output_audio_buffer.clear', {}),
  event('response.create', { response: object.nullish() }),
  event('response.cancel', { response_id: text.nullish() }),
] as const;

export const realtimeClientEvent = z.discriminatedUnion('type', events);
export type RealtimeClientEvent = z.infer<typeof realtimeClientEvent>;
