import { noUsage, type Usage } from '@model-gateway/canonical';
import type { TranscriptionUsage } from '@model-gateway/wire';

/** What an audio cost: tokens, or seconds of it; null where nothing of the kind is told. */
export function readUsage(raw: unknown): Usage | null {
  const { seconds } = (raw ?? {}) as TranscriptionUsage;
  return typeof seconds === 'number' ? readSeconds(seconds, raw) : readTokens(raw);
}

export function readSeconds(seconds: number, raw: unknown): Usage {
  return { ...noUsage, units: { seconds }, raw };
}

export function readTokens(raw: unknown): Usage | null {
  const { input_tokens, input_token_details: details, output_tokens } = (raw ?? {}) as TranscriptionUsage;
  if (typeof input_tokens !== 'number' && typeof output_tokens !== 'number') return null;
  return {
    ...noUsage,
    input: input_tokens ?? 0,
    audioInput: details?.audio_tokens ?? 0,
    output: output_tokens ?? 0,
    raw,
  };
}
