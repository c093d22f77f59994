import { colourOf } from '../images/answer.ts';
import { png, type Size } from '../images/parse.ts';

export interface AnswerImage extends Size {
  prompt: string;
  /** True if the answer has words, too. */
  words: boolean;
}

/** Sizes by aspect ratio, as the vendor has them. */
export const sizes = {
  '1:1': [1_024, 1_024],
  '2:3': [832, 1_248],
  '3:2': [1_248, 832],
  '3:4': [864, 1_184],
  '4:3': [1_184, 864],
  '4:5': [896, 1_152],
  '5:4': [1_152, 896],
  '9:16': [768, 1_344],
  '16:9': [1_344, 768],
  '21:9': [1_536, 672],
} as const satisfies Record<string, [width: number, height: number]>;
export type AspectRatio = keyof typeof sizes;

export const scales = { '1K': 1, '2K': 2, '4K': 4 } as const;
export type ImageSize = keyof typeof scales;

interface ImageConfig {
  responseModalities?: string[] | null | undefined;
  imageConfig?:
    | { aspectRatio?: AspectRatio | null | undefined; imageSize?: ImageSize | null | undefined }
    | null
    | undefined;
}

/** Reads the image that a request asks for; null if it asks for none. */
export function readImage(
  { responseModalities: modalities, imageConfig }: ImageConfig,
  prompt: string,
): AnswerImage | null {
  if (!modalities?.includes('IMAGE')) return null;
  const [width, height] = sizes[imageConfig?.aspectRatio ?? '1:1'];
  const scale = scales[imageConfig?.imageSize ?? '1K'];
  return { prompt, width: width * scale, height: height * scale, words: modalities.includes('TEXT') };
}

/** The image as base64 of a PNG. */
export function base64Of(image: AnswerImage): string {
  return png(image, [...Buffer.from(colourOf(image, 0), 'hex')]).toString('base64');
}
