import type { RealtimeAudioFormat } from '@model-gateway/formats';
import type { ConversationItem } from '@model-gateway/formats/realtime';
import { jsonWeight } from '@model-gateway/json';

/** A user's audio, as it was received. */
export interface ItemAudio {
  bytes: Buffer;
  format: RealtimeAudioFormat;
}

/** An item of a conversation, with data that is not sent to clients. */
export interface Item extends ConversationItem {
  /** Audio of a user's message, by the index of the content part. */
  audio?: Map<number, ItemAudio>;
}

/** Returns the length of a spoken answer. */
export function spokenMs({ spoken = [] }: Item): number {
  return spoken.reduce((sum, { ms }) => sum + ms, 0);
}

/** Memory of an item beside its texts, in bytes. */
const itemBytes = 512;

/** Estimates the memory of an item in bytes, without its audio. */
export function sizeOf({ object, spoken = [], hidden = {} }: Item): number {
  return itemBytes + 2 * jsonWeight([object, spoken, hidden]);
}

export function audioBytes({ audio }: Item): number {
  let sum = 0;
  for (const { bytes } of audio?.values() ?? []) sum += bytes.length;
  return sum;
}
