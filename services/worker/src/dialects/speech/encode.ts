import { GatewayError } from '@model-gateway/canonical';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { nativeBody } from '../native-body.ts';

/** Writes the client's text. Speech has no translation from other formats. */
export function encode(input: EncodeInput<never>): UpstreamRequest {
  if (!input.text) throw new GatewayError('internal', 'The call holds no request.');
  return { path: '/audio/speech', body: nativeBody(input) };
}
