import { z } from 'zod';
import { modelName } from '../model-name.ts';

/*
 * Speech as in OpenAI's published API description (CreateSpeechRequest, SpeechAudioDeltaEvent and
 * -DoneEvent). Only types are checked: local servers take other formats, speeds and longer texts.
 */

/** OpenAI's formats. */
export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof speechFormats)[number];

/** The body of `POST /v1/audio/speech`. `null` means not set. Defaults: response_format mp3, speed 1, stream_format audio. */
export const speechRequest = z.looseObject({
  model: modelName,
  input: z.string().min(1).describe('The text to speak.'),
  voice: z
    .union([z.string().min(1), z.looseObject({ id: z.string().min(1) })], {
      error: 'string or an object with an id',
    })
    .describe(
      "A voice's name, or an object with the id of a custom voice. Voices change, so any name is valid.",
    ),
  instructions: z.string().nullish().describe('Style of the speech.'),
  response_format: z.string().nullish().describe('Such as `mp3`, `opus`, `aac`, `flac`, `wav` or `pcm`.'),
  speed: z.number().nullish(),
  stream_format: z
    .string()
    .nullish()
    .describe('`audio` for raw bytes, or `sse` for server-sent events that hold them.'),
});
export type SpeechRequest = z.infer<typeof speechRequest>;

export interface SpeechDelta {
  type: 'speech.audio.delta';
  /** Base64 of the next bytes. */
  audio: string;
}

export interface SpeechDone {
  type: 'speech.audio.done';
  usage: { input_tokens: number; output_tokens: number; total_tokens: number };
}
