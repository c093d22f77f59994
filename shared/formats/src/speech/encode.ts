import type { UpstreamRequest, VerbatimInput } from '../upstream/dialect.ts';
import { nativeBody } from '../upstream/request-body.ts';

/** Writes the client's text. Speech has no translation from other formats. */
export function encode(input: VerbatimInput): UpstreamRequest {
  return { path: '/audio/speech', body: nativeBody(input) };
}
