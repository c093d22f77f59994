import type { RealtimeAudioFormat, RealtimeItemObject } from '@model-gateway/formats';
import { jsonWeight } from '@model-gateway/json';
import type { Hidden } from './hidden.ts';

/** A user's audio, as it was received. */
export interface ItemAudio {
  bytes: Buffer;
  format: RealtimeAudioFormat;
}

/** A sentence of a spoken answer, with the length of its audio. */
interface Spoken {
  text: string;
  ms: number;
}

/** An item of a conversation, with data that is not sent to clients. */
export interface Item {
  /** The item as it is sent to clients, without audio. */
  object: RealtimeItemObject;
  /** Audio of a user's message, by the index of the content part. */
  audio?: Map<number, ItemAudio>;
  /** Sentences of a spoken answer, in order. */
  spoken?: Spoken[];
  /** Milliseconds of {@link spoken} that the user heard before it was truncated. */
  heardMs?: number;
  hidden?: Hidden;
}

/** Returns the text of an answer that the user heard. */
export function heardText({ spoken = [], heardMs = 0 }: Item): string {
  let left = heardMs;
  const heard = spoken.map(({ text, ms }) => {
    const share = ms > 0 ? Math.min(1, Math.max(0, left / ms)) : 0;
    left -= ms;
    return share < 1 ? text.slice(0, Math.floor(text.length * share)).replace(/\S+$/, '') : text;
  });
  return heard.join('').trimEnd();
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
