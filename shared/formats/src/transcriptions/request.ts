import { z } from 'zod';
import { modelName, wholeNumber } from '../values/schemas.ts';

/*
 * Transcriptions and translations of audio as in OpenAI's published API description
 * (CreateTranscriptionRequest, CreateTranslationRequest and their responses). A request is a form, described
 * here as the object that its fields make: `include[]` and `include` are the list `include`,
 * `chunking_strategy[type]` is `type` of the object `chunking_strategy`. Only types are checked: other servers take
 * other values.
 */

const text = z.string();
const texts = z.array(text).nullish();

/** OpenAI's formats of a transcript. */
export const transcriptionFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const;
export type TranscriptionFormat = (typeof transcriptionFormats)[number];

/** The form of `POST /v1/audio/translations`, without its file. Default: response_format json. */
export const translationRequest = z.looseObject({
  model: modelName,
  prompt: text.nullish(),
  response_format: text.nullish().describe('Such as `json`, `text`, `srt`, `vtt` or `verbose_json`.'),
  temperature: z.number().nullish(),
});

const splitting = z.looseObject({
  type: text.min(1).describe('Such as `server_vad`.'),
  threshold: z.number().nullish(),
  prefix_padding_ms: wholeNumber({ min: 0 }).nullish(),
  silence_duration_ms: wholeNumber({ min: 0 }).nullish(),
});
const automatic = text.describe('Such as `auto`.');

/** Both forms of a chunking strategy. */
export const transcriptionChunking = z.union([automatic, splitting]);

/** The form of `POST /v1/audio/transcriptions`, without its file. Defaults: format json, stream false. */
export const transcriptionRequest = translationRequest.extend({
  response_format: text
    .nullish()
    .describe('Such as `json`, `text`, `srt`, `vtt`, `verbose_json` or `diarized_json`.'),
  language: text.nullish(),
  languages: z.array(text).min(1).nullish(),
  keywords: texts.describe('Words expected in the audio.'),
  stream: z.boolean().nullish(),
  timestamp_granularities: texts.describe('For verbose_json: the lists to fill, `word` or `segment`.'),
  include: texts.describe('Such as `logprobs`.'),
  chunking_strategy: z
    .unknown()
    .superRefine((value, context) => {
      const form = typeof value === 'object' && value !== null ? splitting : automatic;
      for (const issue of form.safeParse(value).error?.issues ?? [])
        context.addIssue(issue as z.core.$ZodSuperRefineIssue);
    })
    .nullish()
    .describe('Splitting of a long audio.'),
  known_speaker_names: texts,
  known_speaker_references: texts.describe('A data URL for each name: some seconds of only that speaker.'),
});
export type TranscriptionRequest = z.infer<typeof transcriptionRequest>;
