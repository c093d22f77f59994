import { z } from 'zod';

const text = z.string();
const language = text.regex(/^[a-z]{2,3}$/);

/** What a form for a translation says, beside its file. */
export const translationRequest = z.strictObject({
  model: text,
  prompt: text.optional(),
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt']).default('json'),
  temperature: z.number().min(0).max(1).optional(),
});

/** What a form for a transcription says, beside its file. */
export const transcriptionRequest = z.strictObject({
  ...translationRequest.shape,
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json']).default('json'),
  language: language.optional(),
  languages: z.array(language).min(1).optional(),
  keywords: z.array(text).optional(),
  include: z.array(z.enum(['logprobs'])).default([]),
  timestamp_granularities: z.array(z.enum(['word', 'segment'])).optional(),
  stream: z.boolean().default(false),
  chunking_strategy: z
    .union([
      z.literal('auto'),
      z.strictObject({
        type: z.literal('server_vad'),
        prefix_padding_ms: z.int().optional(),
        silence_duration_ms: z.int().optional(),
        threshold: z.number().min(0).max(1).optional(),
      }),
    ])
    .optional(),
  known_speaker_names: z.array(text).max(4).default([]),
  known_speaker_references: z.array(text).max(4).default([]),
});
export type TranscriptionRequest = z.infer<typeof transcriptionRequest>;
