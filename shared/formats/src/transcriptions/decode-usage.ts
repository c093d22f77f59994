import type { Usage } from '@model-gateway/canonical';
import { readUsage } from '../upstream/any-usage.ts';
import { objectIn } from '../upstream/read-json.ts';
import { type TranscriptionUsage, transcriptionUsage } from './answer.ts';

/** Returns the usage to tell clients in place of a server's own words; undefined if those are OpenAI's, or if there is none. */
export function ownWords(raw: unknown, usage: Usage | null = readUsage(raw)): TranscriptionUsage | undefined {
  const { type, seconds, input_tokens, output_tokens, total_tokens } = objectIn(raw) ?? {};
  const isOwn =
    type === 'duration'
      ? isNumber(seconds)
      : type === 'tokens' && [input_tokens, output_tokens, total_tokens].every(isNumber);
  return isOwn || !usage ? undefined : transcriptionUsage(usage);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}
