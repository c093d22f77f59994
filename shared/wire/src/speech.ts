import { z } from 'zod';
import { modelName } from './model-name.ts';

/*
 * Speech as in OpenAI's published API description (CreateSpeechRequest, SpeechAudioDeltaEvent and
 * -DoneEvent).
 */

const maxCharacters = 4096;

/** Text to speak. The vendor counts Unicode code points, not UTF-16 code units. */
const spoken = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    if (text.length <= maxCharacters || [...text].length <= maxCharacters) return;
    context.addIssue({
      code: 'too_big',
      origin: 'string',
      maximum: maxCharacters,
      inclusive: true,
      input: text,
    });
  });

export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof speechFormats)[number];

/** The body of `POST /v1/audio/speech`. `null` means not set. Defaults: response_format mp3, speed 1, stream_format audio. */
export const speechRequest = z.looseObject({
  model: modelName,
  input: spoken,
  voice: z
    .union([z.string().min(1), z.looseObject({ id: z.string().min(1) })], {
      error: 'string or an object with an id',
    })
    .describe(
      "A voice's name, or an object with the id of a custom voice. Voices change, so any name is valid.",
    ),
  instructions: z.string().max(maxCharacters).nullish().describe('Style of the speech.'),
  response_format: z.enum(speechFormats).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  stream_format: z
    .enum(['audio', 'sse'])
    .nullish()
    .describe('Raw audio bytes, or server-sent events that hold them.'),
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
