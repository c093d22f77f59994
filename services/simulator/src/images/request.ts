import { z } from 'zod';

const text = z.string();

const settings = {
  prompt: text.min(1).max(32_000),
  model: text.min(1).default('gpt-image-1.5'),
  n: z.int().min(1).max(10).nullish(),
  size: text.nullish(),
  quality: z.enum(['standard', 'hd', 'low', 'medium', 'high', 'auto']).nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
  // The vendor has JPEG and WebP, too.
  output_format: z.enum(['png']).nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish(),
  moderation: z.enum(['low', 'auto']).nullish(),
  stream: z.boolean().nullish(),
  partial_images: z.int().min(0).max(3).nullish(),
  user: text.nullish(),
};
export type Settings = z.infer<z.ZodObject<typeof settings>>;

/** The body of a generation. Unknown fields are rejected, as the vendor rejects them. */
export const generationRequest = z.strictObject({
  ...settings,
  style: z.enum(['vivid', 'natural']).nullish(),
});

const editSettings = { ...settings, input_fidelity: z.enum(['high', 'low']).nullish() };

/** The fields of an edit that is sent as a form, without its files. */
export const editForm = z.strictObject(editSettings);

export const maxInputs = 16;
const reference = z.strictObject({ image_url: text.nullish(), file_id: text.nullish() });
export type Reference = z.infer<typeof reference>;

/** The body of an edit that is sent as JSON. */
export const editRequest = z.strictObject({
  ...editSettings,
  images: z.array(reference).min(1).max(maxInputs),
  mask: reference.nullish(),
});
