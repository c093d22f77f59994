import { given, type ImageRequest } from '@model-gateway/canonical';
import type { ImagePrompted } from '@model-gateway/wire';

/** What is asked for in every shape of a request. */
export function parsePrompted(body: ImagePrompted): ImageRequest {
  return given({
    prompt: body.prompt,
    n: body.n,
    size: body.size,
    quality: body.quality,
    background: body.background,
    outputFormat: body.output_format,
    user: body.user,
  });
}
