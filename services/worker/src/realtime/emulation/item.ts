import type { ReasoningPart, Signature } from '@model-gateway/canonical';
import type { RealtimeAudioFormat, RealtimeItemObject } from '@model-gateway/wire';

/** What a user said, as it came. */
export interface ItemAudio {
  bytes: Buffer;
  format: RealtimeAudioFormat;
}

/** A piece of a spoken answer. */
export interface Spoken {
  text: string;
  ms: number;
}

/** An item of a conversation, with what is known of it beside what clients are told. */
export interface Item {
  /** As clients are told, but for audio. */
  object: RealtimeItemObject;
  /** Of the part of a user's message that has some, by its place. */
  audio?: Map<number, ItemAudio>;
  /** Of an answer that was spoken, in order. */
  spoken?: Spoken[];
  /** As much of {@link spoken} as the user heard; the rest was cut off. */
  heardMs?: number;
  hidden?: Hidden;
}

/** What the user heard of an answer. */
export function heardText({ spoken = [], heardMs = 0 }: Item): string {
  let left = heardMs;
  const heard = spoken.map(({ text, ms }) => {
    const share = ms > 0 ? Math.min(1, Math.max(0, left / ms)) : 0;
    left -= ms;
    return share < 1 ? text.slice(0, Math.floor(text.length * share)).replace(/\S+$/, '') : text;
  });
  return heard.join('').trimEnd();
}

/** How long a spoken answer is. */
export function spokenMs({ spoken = [] }: Item): number {
  return spoken.reduce((sum, { ms }) => sum + ms, 0);
}

/** About how much memory an item takes, its audio aside. */
export function sizeOf({ object, hidden = {} }: Item): number {
  return 512 + 2 * JSON.stringify([object, hidden]).length;
}

/** How much audio an item holds. */
export function audioBytes({ audio }: Item): number {
  let sum = 0;
  for (const { bytes } of audio?.values() ?? []) sum += bytes.length;
  return sum;
}

/** What belongs to an item of the model's and is shown to no client: the model wants it back with the item. */
export interface Hidden {
  /** What it thought before. */
  thoughts?: ReasoningPart[];
  signature?: Signature;
}
