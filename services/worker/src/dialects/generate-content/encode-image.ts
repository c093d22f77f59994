import { GatewayError, type ImageRequest } from '@model-gateway/canonical';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { resourcePath } from '../google-resource.ts';
import { JsonBody } from '../own-text.ts';
import { unsupported } from '../unsupported.ts';

/** Asks for one image. @throws GatewayError for what the format has no place for */
export function encode({ model, request, drop }: EncodeInput<ImageRequest>): UpstreamRequest {
  if (!request) throw new GatewayError('internal', 'The call holds no request.');
  const { prompt, images = [], ...others } = request;
  const { mask, background, size } = taken(others, drop);
  if (mask) throw unsupported('mask', 'this model takes no mask; its prompt can say what is to be changed');
  if (background === 'transparent') throw unsupported('background', 'this model makes no transparent images');
  const config = imageConfig(size);
  const shown = images.map(({ mediaType, data }) => ({ inlineData: { mimeType: mediaType, data } }));
  const body = {
    contents: [{ role: 'user', parts: [{ text: prompt }, ...shown] }],
    generationConfig: {
      responseModalities: ['IMAGE'],
      ...(config.aspectRatio && { imageConfig: config }),
    },
  };
  return { path: `${resourcePath(model)}:generateContent`, body: new JsonBody(body) };
}

/** The fields that the model takes. */
function taken<T extends object>(fields: T, drop: readonly string[]): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !drop.includes(field))) as Partial<T>;
}

/** The shapes that the models make, width to height. */
const shapes = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];
/** How far a shape may be from the one that was asked for. */
const tolerance = 0.1;

/** How large an image is made, by its longer side in pixels; with no word it is about 1024. */
const resolutions: [from: number, imageSize: string][] = [
  [3072, '4K'],
  [1920, '2K'],
];

/** The shape and resolution that are nearest to a size in pixels. @throws GatewayError for a shape that no model makes */
export function imageConfig(size = 'auto'): { aspectRatio?: string; imageSize?: string } {
  if (size === 'auto') return {};
  const [, width, height] = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(size)?.map(Number) ?? [];
  if (!width || !height) throw unsupported('size', "this model takes 'auto', or a size such as '1024x1024'");
  const [nearest, distance] = nearestShape(width / height);
  if (distance > tolerance)
    throw unsupported('size', `this model makes images of the shapes ${shapes.join(', ')}`);
  const longer = Math.max(width, height);
  const imageSize = resolutions.find(([from]) => longer >= from)?.[1];
  return { aspectRatio: nearest, ...(imageSize && { imageSize }) };
}

function nearestShape(ratio: number): [shape: string, distance: number] {
  const byDistance = shapes.map((shape): [string, number] => {
    const [width = 1, height = 1] = shape.split(':').map(Number);
    return [shape, Math.abs(Math.log((ratio * height) / width))];
  });
  return byDistance.sort(([, one], [, other]) => one - other)[0] as [string, number];
}
