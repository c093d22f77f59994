import type { ImageRequest } from '@model-gateway/canonical';
import type { CanonicalInput, UpstreamRequest } from '../upstream/dialect.ts';
import { resourcePath } from '../upstream/google-resource.ts';
import { JsonBody, unsupported, withoutDropped } from '../upstream/request-body.ts';
import type { GenerateContentPartParam } from './parts.ts';
import type { GenerateContentConfigParam, GenerateContentRequestParams } from './request.ts';

/** Writes a request for one image. @throws GatewayError for unsupported fields */
export function encode({ model, request, drop }: CanonicalInput<ImageRequest>): UpstreamRequest {
  const { prompt, images = [], ...others } = request;
  const { mask, background, size } = withoutDropped(others, drop);
  if (mask) throw unsupported('mask', 'this model does not support masks: describe the change in the prompt');
  if (background === 'transparent') throw unsupported('background', 'this model makes no transparent images');
  const config = imageConfig(size);
  const inputs = images.map(
    ({ mediaType, data }): GenerateContentPartParam => ({ inlineData: { mimeType: mediaType, data } }),
  );
  const body: GenerateContentRequestParams = {
    contents: [{ role: 'user', parts: [{ text: prompt }, ...inputs] }],
    generationConfig: {
      responseModalities: ['IMAGE'],
      imageConfig: config.aspectRatio ? config : undefined,
    },
  };
  return { path: `${resourcePath(model)}:generateContent`, body: new JsonBody(body) };
}

/** The supported aspect ratios, width to height. */
const aspectRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];
/** The largest accepted difference from the requested aspect ratio, as a difference of logarithms. */
const tolerance = 0.1;

/** The `imageSize` by the longer side in pixels. The default is about 1024. */
const resolutions: [from: number, imageSize: string][] = [
  [3072, '4K'],
  [1920, '2K'],
];

/** Returns the nearest aspect ratio and resolution to a size in pixels. @throws GatewayError if unsupported */
export function imageConfig(size = 'auto'): NonNullable<GenerateContentConfigParam['imageConfig']> {
  if (size === 'auto') return {};
  const [, width, height] = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(size)?.map(Number) ?? [];
  if (!width || !height) throw unsupported('size', "this model takes 'auto', or a size such as '1024x1024'");
  const [nearest, distance] = nearestAspectRatio(width / height);
  if (distance > tolerance)
    throw unsupported('size', `this model supports the aspect ratios ${aspectRatios.join(', ')}`);
  const longer = Math.max(width, height);
  const imageSize = resolutions.find(([from]) => longer >= from)?.[1];
  return { aspectRatio: nearest, imageSize };
}

function nearestAspectRatio(ratio: number): [aspectRatio: string, distance: number] {
  const byDistance = aspectRatios.map((aspectRatio): [string, number] => {
    const [width = 1, height = 1] = aspectRatio.split(':').map(Number);
    return [aspectRatio, Math.abs(Math.log((ratio * height) / width))];
  });
  return byDistance.sort(([, one], [, other]) => one - other)[0] as [string, number];
}
