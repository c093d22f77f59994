import { GatewayError } from '@model-gateway/canonical';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { nativeForm } from '../multipart.ts';

/** Writes the client's form. Transcription has no translation from other formats. */
export function encode(input: EncodeInput<never>): UpstreamRequest {
  const { form, envelope } = input;
  if (!form) throw new GatewayError('internal', 'The call holds no request.');
  const path = envelope.variant === 'translations' ? '/audio/translations' : '/audio/transcriptions';
  return { path, ...nativeForm({ ...input, form }) };
}
