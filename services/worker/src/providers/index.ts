import type { ProviderKind } from '@model-gateway/catalog';
import { anthropic } from './anthropic.ts';
import { cohere } from './cohere.ts';
import { gemini } from './gemini.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openaiCompatible } from './openai-compatible.ts';
import type { ProviderKindProfile } from './provider.ts';
import { tei } from './tei.ts';

export const providerProfiles: Record<ProviderKind, ProviderKindProfile> = {
  openai,
  'openai-compatible': openaiCompatible,
  ollama,
  anthropic,
  gemini,
  cohere,
  tei,
};
