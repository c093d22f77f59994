import type { UpstreamRequest, VerbatimInput } from '../dialect.ts';
import { nativeBody } from '../request-body.ts';

/** Writes the client's text. Speech has no translation from other formats. */
export function encode(input: VerbatimInput): UpstreamRequest {
  return { path: '/audio/speech', body: nativeBody(input) };
}
