import { z } from 'zod/mini';
import { cutOff, isEventStream, readBytes, readEvents } from '../operation/read-answer.ts';
import type { Reading } from '../operation/use-run.ts';
import { Sound } from './sound.ts';

/** A speech as far as it arrived. */
export interface Speech {
  characters: number;
  format: string;
  bytes: number;
  /** The address to play it; undefined until it can be played. */
  playUrl?: string | undefined;
  /** The address to download it; undefined until it is complete. */
  downloadUrl?: string;
  usage?: { input: number; output: number };
}

const speechEvent = z.object({
  type: z.string(),
  audio: z.optional(z.string()),
  usage: z.nullish(z.object({ input_tokens: z.number(), output_tokens: z.number() })),
});

/** Reads a speech, as audio or as events that hold it. @throws Problem if it is cut off */
export async function readSpeech(
  reading: Reading<Speech>,
  asked: { text: string; format: string },
  onSound: (sound: Sound) => void,
): Promise<Speech> {
  const { response, raw, show } = reading;
  const events = isEventStream(response);
  const type = response.headers.get('content-type') ?? '';
  const sound = new Sound(events ? typeOf(asked.format) : type);
  onSound(sound);
  let speech: Speech = { characters: [...asked.text].length, format: asked.format, bytes: 0 };
  const push = (piece: Uint8Array<ArrayBuffer>) => {
    sound.push(piece);
    speech = { ...speech, bytes: sound.bytes, playUrl: sound.streamUrl };
    show(speech);
  };
  if (events) {
    let done = false;
    for await (const { type, audio, usage } of readEvents(reading, speechEvent)) {
      if (audio) push(bytesOf(audio));
      if (usage) speech = { ...speech, usage: { input: usage.input_tokens, output: usage.output_tokens } };
      done ||= type === 'speech.audio.done';
    }
    if (!done) throw cutOff();
  } else
    for await (const piece of readBytes(response)) {
      raw(`(${piece.length.toLocaleString()} bytes of audio)`);
      push(piece);
    }
  return { ...speech, ...sound.end() };
}

const types: Record<string, string> = { mp3: 'audio/mpeg', opus: 'audio/ogg' };

/** Returns the media type of a format of speech. */
export function typeOf(format: string): string {
  return types[format] ?? `audio/${format}`;
}

/** Decodes base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
}
