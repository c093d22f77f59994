import { z } from 'zod';

const text = z.string();
const breakpoint = { prompt_cache_breakpoint: z.unknown().optional() };
const dataUrl = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w=.-]+)*;base64,/;

const textPart = z.strictObject({ type: z.literal('input_text'), text, ...breakpoint });

const imagePart = z.strictObject({
  type: z.literal('input_image'),
  image_url: text
    .refine(url => /^https?:\/\//.test(url) || dataUrl.test(url), {
      message: 'Expected a valid URL, but got a value with an invalid format.',
    })
    .nullish(),
  file_id: text.nullish(),
  detail: z.enum(['low', 'high', 'auto', 'original']).nullish(),
  ...breakpoint,
});

const filePart = z.strictObject({
  type: z.literal('input_file'),
  file_id: text.nullish(),
  file_url: text.nullish(),
  file_data: text
    .refine(data => dataUrl.test(data), { message: 'Expected a base64-encoded data URL with a MIME type.' })
    .nullish(),
  filename: text.nullish(),
  detail: z.enum(['low', 'high', 'auto']).nullish(),
  ...breakpoint,
});

const audioPart = z.strictObject({
  type: z.literal('input_audio'),
  input_audio: z.strictObject({ data: text, format: z.enum(['mp3', 'wav']) }),
});

/** What users and instructions are made of. */
export const inputPart = z.discriminatedUnion('type', [textPart, imagePart, filePart, audioPart]);
export type InputPart = z.infer<typeof inputPart>;

/** What tools give. */
export const resultPart = z.discriminatedUnion('type', [textPart, imagePart, filePart]);
export type ResultPart = z.infer<typeof resultPart>;

/** What the model said before. */
export const outputPart = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('output_text'),
    text,
    annotations: z.array(z.looseObject({ type: text })).nullish(),
    logprobs: z.array(z.unknown()).nullish(),
  }),
  z.strictObject({ type: z.literal('refusal'), refusal: text }),
]);
export type OutputPart = z.infer<typeof outputPart>;
