import { GatewayError } from '@model-gateway/canonical';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { ownText } from '../own-text.ts';

/** Speech is asked for only in the client's own words. */
export function encode(input: EncodeInput<never>): UpstreamRequest {
  if (!input.text) throw new GatewayError('internal', 'The call holds no request.');
  return { path: '/audio/speech', body: ownText(input) };
}
