import { z } from 'zod';
import { modelName } from '../model-name.ts';
import { wholeNumber } from '../whole-number.ts';

/*
 * Transcriptions and translations of audio as in OpenAI's published API description
 * (CreateTranscriptionRequest, CreateTranslationRequest and their responses). A request is a form, described
 * here as the object that its fields make: `include[]` and `include` are the list `include`,
 * `chunking_strategy[type]` is `type` of the object `chunking_strategy`.
 */

const text = z.string();
const speakers = z.array(text).max(4).nullish();

/** The form of `POST /v1/audio/translations`, without its file. Default: response_format json. */
export const translationRequest = z.looseObject({
  model: modelName,
  prompt: text.nullish(),
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt']).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
});

const serverVad = z.looseObject({
  type: z.literal('server_vad'),
  threshold: z.number().min(0).max(1).nullish(),
  prefix_padding_ms: wholeNumber({ min: 0 }).nullish(),
  silence_duration_ms: wholeNumber({ min: 0 }).nullish(),
});
const automatic = z.enum(['auto']);

/** Both forms of a chunking strategy. */
export const transcriptionChunking = z.union([automatic, serverVad]);

/** The form of `POST /v1/audio/transcriptions`, without its file. Defaults: format json, stream false. */
export const transcriptionRequest = translationRequest.extend({
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json']).nullish(),
  language: text.nullish(),
  languages: z.array(text).min(1).nullish(),
  keywords: z.array(text).nullish().describe('Words expected in the audio.'),
  stream: z.boolean().nullish(),
  timestamp_granularities: z
    .array(z.enum(['word', 'segment']))
    .nullish()
    .describe('For verbose_json: the lists to fill.'),
  include: z.array(z.enum(['logprobs'])).nullish(),
  chunking_strategy: z
    .unknown()
    .superRefine((value, context) => {
      const form = typeof value === 'object' && value !== null ? serverVad : automatic;
      for (const issue of form.safeParse(value).error?.issues ?? [])
        context.addIssue(issue as z.core.$ZodSuperRefineIssue);
    })
    .nullish()
    .describe('Splitting of a long audio.'),
  known_speaker_names: speakers,
  known_speaker_references: speakers.describe('A data URL for each name: some seconds of only that speaker.'),
});
export type TranscriptionRequest = z.infer<typeof transcriptionRequest>;
export type TranscriptionFormat = NonNullable<TranscriptionRequest['response_format']>;
