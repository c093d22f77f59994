import { z } from 'zod/mini';

const usage = z.object({
  input_tokens: z.number(),
  input_tokens_details: z.nullish(z.object({ image_tokens: z.nullish(z.number()) })),
  output_tokens: z.number(),
});

const image = z.object({
  b64_json: z.nullish(z.string()),
  url: z.nullish(z.string()),
  revised_prompt: z.nullish(z.string()),
});

/** The answer of `POST /v1/images/…`, as far as the console reads it. */
export const imagesAnswer = z.object({
  data: z.array(image),
  output_format: z.nullish(z.string()),
  usage: z.nullish(usage),
});
type ImagesAnswer = z.infer<typeof imagesAnswer>;

/** An event of a streamed answer. Other types of events are passed over. */
export const imageEvent = z.object({
  ...image.shape,
  type: z.string(),
  partial_image_index: z.nullish(z.number()),
  output_format: z.nullish(z.string()),
  usage: z.nullish(usage),
});
type ImageEvent = z.infer<typeof imageEvent>;

/** An image of an answer. */
export interface Picture {
  /** Undefined if the image is at an address, or is none. */
  blob?: Blob | undefined;
  /** An address of another host. */
  url?: string | undefined;
  /** The prompt as the model rewrote it. */
  revisedPrompt?: string | undefined;
}

/** In tokens. */
interface ImagesUsage {
  input: number;
  /** The part of `input` that images are. */
  imageInput: number;
  output: number;
}

/** The images of an answer as far as they arrived. */
export interface GeneratedImages {
  pictures: Picture[];
  /** The newest partial image of the one that is being made. */
  partial?: { picture: Picture; index: number } | undefined;
  usage?: ImagesUsage;
}

export const noImages: GeneratedImages = { pictures: [] };

/** Returns the images of a whole answer. */
export function generatedImagesOf({ data, output_format, usage }: ImagesAnswer): GeneratedImages {
  const pictures = data.map(image => pictureOf(image, output_format));
  return { pictures, ...(usage && { usage: tokensOf(usage) }) };
}

/** Adds an event to what was made. Tokens add up, since each image reports its own. */
export function withEvent(made: GeneratedImages, event: ImageEvent): GeneratedImages {
  const picture = pictureOf(event, event.output_format);
  if (event.type.endsWith('.partial_image'))
    return { ...made, partial: { picture, index: event.partial_image_index ?? 0 } };
  if (!event.type.endsWith('.completed')) return made;
  const { partial, ...before } = made;
  const usage = event.usage ? sum(made.usage, tokensOf(event.usage)) : made.usage;
  return { ...before, pictures: [...made.pictures, picture], ...(usage && { usage }) };
}

function tokensOf({ input_tokens, input_tokens_details, output_tokens }: z.infer<typeof usage>): ImagesUsage {
  const imageInput = input_tokens_details?.image_tokens ?? 0;
  return { input: input_tokens, imageInput, output: output_tokens };
}

function sum(one: ImagesUsage | undefined, other: ImagesUsage): ImagesUsage {
  if (!one) return other;
  return {
    input: one.input + other.input,
    imageInput: one.imageInput + other.imageInput,
    output: one.output + other.output,
  };
}

function pictureOf(
  { b64_json, url, revised_prompt }: z.infer<typeof image>,
  format: string | null | undefined,
): Picture {
  const inline = b64_json ?? /^data:[^,]*;base64,(.*)$/s.exec(url ?? '')?.[1];
  return {
    ...(inline ? { blob: blobOf(inline, format) } : { url: addressOf(url) }),
    ...(revised_prompt && { revisedPrompt: revised_prompt }),
  };
}

/** Only an address of the web becomes a link. */
function addressOf(url: string | null | undefined): string | undefined {
  return url && /^https?:\/\//.test(url) ? url : undefined;
}

/** The first characters of an image in base64 say more than the answer's format, which some providers do not know. */
const beginnings: [start: string, mediaType: string][] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
];

function blobOf(base64: string, format: string | null | undefined): Blob | undefined {
  const known = beginnings.find(([start]) => base64.startsWith(start))?.[1];
  const type = known ?? (format === 'svg' ? 'image/svg+xml' : '');
  try {
    return new Blob([Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))], { type });
  } catch {
    return undefined;
  }
}

const endings: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
};

/** Returns the name under which an image is downloaded. */
export function fileName({ type }: Blob, number: number): string {
  const ending = endings[type];
  return `image-${number}${ending ? `.${ending}` : ''}`;
}

/** Returns the kind and size of an image, such as `PNG · 12 kB`. */
export function kindAndSize({ type, size }: Blob): string {
  const kind = type.replace(/^image\//, '').replace('svg+xml', 'svg');
  const bytes = size < 1_000_000 ? `${Math.ceil(size / 1_000)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
  return [kind.toUpperCase(), bytes].filter(Boolean).join(' · ');
}
