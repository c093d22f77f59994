import { anthropic } from './anthropic.ts';
import { cohere } from './cohere.ts';
import { gemini } from './gemini.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openaiCompatible } from './openai-compatible.ts';
import type { ProviderProfile } from './profile.ts';
import { tei } from './tei.ts';

export type { ModelList, ModelPage } from './model-list.ts';
export * from './profile.ts';

/** The kinds of providers, by the name that a catalog has for them. */
export const providerProfiles: Record<string, ProviderProfile> = {
  openai,
  'openai-compatible': openaiCompatible,
  ollama,
  anthropic,
  gemini,
  cohere,
  tei,
};

/** @throws Error for a kind that does not exist, which no catalog holds */
export function profileOf(kind: string): ProviderProfile {
  const profile = providerProfiles[kind];
  if (!profile) throw new Error(`unknown kind of provider: ${kind}`);
  return profile;
}
