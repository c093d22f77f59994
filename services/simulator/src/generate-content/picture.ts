import { decode, encode } from '../pictures/codecs.ts';
import { draw } from '../pictures/picture.ts';
import { wrong } from './complaint.ts';
import type { GenerateRequest } from './request.ts';

/** An image that an answer shows. */
export interface Picture {
  /** What it shows. */
  prompt: string;
  width: number;
  height: number;
  /** The image that it is drawn over, in base64. */
  over: string | null;
  /** Whether the answer has words, too. */
  words: boolean;
  /** The image as base64 of a PNG; absent until it is drawn. */
  data?: string;
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

/** The image that a request asks for; null where it asks for none. */
export function readPicture({ generationConfig, contents }: GenerateRequest, prompt: string): Picture | null {
  const { responseModalities: modalities, imageConfig } = generationConfig ?? {};
  if (!modalities?.includes('IMAGE')) return null;
  const [width, height] = sizes[imageConfig?.aspectRatio ?? '1:1'];
  const scale = scales[imageConfig?.imageSize ?? '1K'];
  const given = contents
    .flatMap(({ parts }) => parts)
    .findLast(({ inlineData }) => inlineData?.mimeType.startsWith('image/'));
  return {
    prompt,
    width: width * scale,
    height: height * scale,
    over: given?.inlineData?.data ?? null,
    words: modalities.includes('TEXT'),
  };
}

/** Draws the image. @throws Refusal where what it is drawn over is none */
export async function drawn(picture: Picture): Promise<Picture> {
  const over = picture.over && (await decode(Buffer.from(picture.over, 'base64')));
  if (picture.over && !over)
    throw wrong('Unable to process input image. Please retry or report in the support forum.');
  const { prompt, width, height } = picture;
  const sketch = { prompt, width, height, variation: 0, transparent: false, over: over || null, mask: null };
  return { ...picture, data: (await encode(draw(sketch), 'png', 100)).toString('base64') };
}
