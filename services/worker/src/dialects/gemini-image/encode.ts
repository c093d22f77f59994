import { GatewayError, type ImageRequest } from '@model-gateway/canonical';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { resourcePath } from '../gemini-generate/resource.ts';
import { JsonBody } from '../json-body.ts';
import { unsupported } from '../unsupported.ts';
import { imageConfig } from './size.ts';

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
