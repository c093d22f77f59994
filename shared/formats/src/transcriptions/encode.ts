import type { FormInput, UpstreamRequest } from '../upstream/dialect.ts';
import { nativeForm } from '../upstream/multipart.ts';

/** Writes the client's form. Transcription has no translation from other formats. */
export function encode(input: FormInput): UpstreamRequest {
  const path = input.envelope.variant === 'translations' ? '/audio/translations' : '/audio/transcriptions';
  return { path, ...nativeForm(input) };
}
