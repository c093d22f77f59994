import type { MediaPart } from '../conversation/part.ts';
import { dataUrl } from '../formats/format.ts';

/** An input, which gets a result of its own. */
export interface Input {
  text: string;
  images: readonly MediaPart[];
}

/** Returns the inputs of a request. Each text is one, but texts with images are one together. */
export function inputsOf(texts: readonly string[], images: readonly MediaPart[]): Input[] {
  if (images.length === 0) return texts.map(text => ({ text, images }));
  return [{ text: texts.join('\n'), images }];
}

/** Returns the field `input` of a request. */
export function inputField(texts: readonly string[], images: readonly MediaPart[]): unknown[] {
  if (images.length === 0) return [...texts];
  return [
    ...texts.map(text => ({ type: 'text', text })),
    ...images.map(image => ({ type: 'image_url', image_url: { url: dataUrl(image) } })),
  ];
}
