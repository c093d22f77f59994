import { z } from 'zod';
import { modelName } from './model-name.ts';

/*
 * Speech as OpenAI's published API description has it (CreateSpeechRequest, SpeechAudioDeltaEvent and -DoneEvent).
 */

const mostCharacters = 4096;

/** Characters are counted as their vendor counts them: one outside the first plane is one. */
const spoken = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    if (text.length <= mostCharacters || [...text].length <= mostCharacters) return;
    context.addIssue({
      code: 'too_big',
      origin: 'string',
      maximum: mostCharacters,
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
  /** By its name, or by the id of one's own. Voices come and go: any name is one. */
  voice: z.union([z.string().min(1), z.looseObject({ id: z.string().min(1) })], {
    error: 'string or an object with an id',
  }),
  /** How it is to be said. */
  instructions: z.string().max(mostCharacters).nullish(),
  response_format: z.enum(speechFormats).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  /** The audio's bytes, or server-sent events that hold them. */
  stream_format: z.enum(['audio', 'sse']).nullish(),
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
