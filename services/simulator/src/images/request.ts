import { z } from 'zod';
import { imageTypes } from '../pictures/codecs.ts';

const text = z.string();

const settings = {
  prompt: text.min(1),
  model: text.min(1).nullish(),
  n: z.int().min(1).nullish(),
  size: text.nullish(),
  quality: z.enum(['standard', 'hd', 'low', 'medium', 'high', 'auto']).nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
  output_format: z.enum(imageTypes).nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish(),
  moderation: z.enum(['low', 'auto']).nullish(),
  stream: z.boolean().nullish(),
  partial_images: z.int().min(0).max(3).nullish(),
  user: text.nullish(),
};
export type Settings = z.infer<z.ZodObject<typeof settings>>;

export const generationRequest = z.strictObject({
  ...settings,
  style: z.enum(['vivid', 'natural']).nullish(),
});

const editSettings = { ...settings, input_fidelity: z.enum(['high', 'low']).nullish() };

/** What is in a form beside its files. */
export const formRequest = z.strictObject(editSettings);

export const mostInputs = 16;
const reference = z.strictObject({ image_url: text.nullish(), file_id: text.nullish() });
export type Reference = z.infer<typeof reference>;

/** An edit as JSON. */
export const editRequest = z.strictObject({
  ...editSettings,
  images: z.array(reference).min(1).max(mostInputs),
  mask: reference.nullish(),
});
