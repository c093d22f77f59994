import { GatewayError } from '@model-gateway/canonical';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { ownForm } from '../multipart.ts';

/** What is said in an audio is asked for only with the client's own form. */
export function encode(input: EncodeInput<never>): UpstreamRequest {
  const { form, envelope } = input;
  if (!form) throw new GatewayError('internal', 'The call holds no request.');
  const path = envelope.variant === 'translations' ? '/audio/translations' : '/audio/transcriptions';
  return { path, ...ownForm({ ...input, form }) };
}
