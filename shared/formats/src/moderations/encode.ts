import type { UpstreamRequest, VerbatimInput } from '../upstream/dialect.ts';
import { nativeBody } from '../upstream/request-body.ts';

/** Writes the client's text: every upstream that moderates speaks this format. */
export function encode(input: VerbatimInput): UpstreamRequest {
  return { path: '/moderations', body: nativeBody(input) };
}
