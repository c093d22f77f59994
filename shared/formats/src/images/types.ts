import { z } from 'zod';
import { type Closed, modelName, wholeNumber } from '../values/schemas.ts';

/*
 * Images as in OpenAI's published API description (CreateImageRequest, EditImageBodyJsonParam,
 * CreateImageEditRequest, CreateImageVariationRequest and their responses), with additions of its SDKs. A
 * form is described as the object that its fields make. `null` means not set. Only types are checked: models of
 * other vendors take other values, and the model decides which.
 */

/** The most images in an edit request. */
export const maxInputImages = 16;
const maxUrl = 20_971_520;

/** The most images of a request: more than any model makes. */
const maxImages = 128;

const text = z.string();
const count = wholeNumber({ min: 1, max: maxImages });

/** Fields of every image request. */
const common = {
  model: modelName,
  n: count.nullish(),
  size: text.min(1).nullish(),
  response_format: text.nullish().describe('`url` or `b64_json`.'),
  user: text.nullish(),
};

const prompted = {
  prompt: text.min(1),
  ...common,
  quality: text.nullish().describe('Such as `low`, `high` or `hd`.'),
  output_format: text.nullish().describe('Such as `png`, `jpeg` or `webp`.'),
  output_compression: wholeNumber({ min: 0 }).nullish(),
  background: text.nullish().describe('Such as `transparent` or `opaque`.'),
  moderation: text.nullish().describe('`low` or `auto`.'),
  stream: z.boolean().nullish(),
  partial_images: wholeNumber({ min: 0 }).nullish(),
  safety_identifier: text.nullish(),
};

/** The body of `POST /v1/images/generations`. */
export const imageGenerationRequest = z.looseObject({
  ...prompted,
  style: text.nullish().describe('Such as `vivid` or `natural`.'),
});

const inputFidelity = { input_fidelity: text.nullish().describe('`high` or `low`.') };

/** A reference to an image: a URL, which may be a data URL, or the id of an uploaded file. */
const imageReference = z
  .looseObject({ image_url: text.min(1).max(maxUrl).nullish(), file_id: text.min(1).nullish() })
  .refine(({ image_url, file_id }) => (image_url == null) !== (file_id == null), {
    message: "exactly one of 'image_url' and 'file_id'",
    params: { code: 'invalid_value', expected: "exactly one of 'image_url' and 'file_id'" },
  });
export type ImageReference = z.infer<typeof imageReference>;

/** The body of `POST /v1/images/edits` as JSON. */
export const imageEditRequest = z.looseObject({
  ...prompted,
  ...inputFidelity,
  images: z.array(imageReference).min(1).max(maxInputImages),
  mask: imageReference.nullish(),
});

/** The form of `POST /v1/images/edits`, without its files. */
export const imageEditForm = z.looseObject({ ...prompted, ...inputFidelity });

/** The form of `POST /v1/images/variations`, without its file. */
export const imageVariationForm = z.looseObject(common);

/** The common fields of the three requests with a prompt. */
export type ImagePrompted = z.infer<z.ZodObject<typeof prompted>>;

/** The settings of a request as the gateway writes them; the upstream checks their values. */
export type ImageRequestParams = Pick<
  Closed<ImagePrompted>,
  'model' | 'prompt' | 'n' | 'size' | 'user' | 'quality' | 'background' | 'output_format'
>;

export interface ImageUsage {
  input_tokens: number;
  input_tokens_details: { text_tokens: number; image_tokens: number };
  output_tokens: number;
  output_tokens_details: { text_tokens: number; image_tokens: number };
  total_tokens: number;
}

/** Writes usage. Tokens of reasoning are those of text. */
export function imageUsage(counts: {
  input: number;
  imageInput: number;
  output: number;
  reasoning: number;
}): ImageUsage {
  const { input, imageInput, output, reasoning } = counts;
  return {
    input_tokens: input,
    input_tokens_details: { text_tokens: input - imageInput, image_tokens: imageInput },
    output_tokens: output,
    output_tokens_details: { text_tokens: reasoning, image_tokens: output - reasoning },
    total_tokens: input + output,
  };
}

/** Settings of generated images. */
export interface ImageLooks {
  size?: string;
  quality?: string;
  background?: string;
  output_format?: string;
}

export interface ImagesAnswer extends ImageLooks {
  /** In seconds since 1970. */
  created: number;
  data: { b64_json?: string; url?: string; revised_prompt?: string }[];
  usage?: ImageUsage;
}

/** The last event of an image in a stream; the events before it are `*.partial_image`. */
export interface ImageCompleted extends Required<ImageLooks> {
  type: 'image_generation.completed' | 'image_edit.completed';
  b64_json?: string;
  /** Set instead of the image if the upstream returned only its URL. */
  url?: string;
  created_at: number;
  usage: ImageUsage;
}

/** True for the name of a form's field that holds an image to edit: `image`, `image[]` or `image[0]`. */
export function isImage(name: string): boolean {
  return /^image(?:\[\d*\])?$/.test(name);
}
