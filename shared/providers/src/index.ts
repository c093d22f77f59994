import { anthropic } from './anthropic.ts';
import { azureOpenai } from './azure-openai.ts';
import { bedrock } from './bedrock.ts';
import { cerebras } from './cerebras.ts';
import { cloudflare } from './cloudflare.ts';
import { cohere } from './cohere.ts';
import { dashscope } from './dashscope.ts';
import { deepgram } from './deepgram.ts';
import { deepinfra } from './deepinfra.ts';
import { deepseek } from './deepseek.ts';
import { elevenlabs } from './elevenlabs.ts';
import { fireworks } from './fireworks.ts';
import { gemini } from './gemini.ts';
import { githubModels } from './github-models.ts';
import { groq } from './groq.ts';
import { huggingface } from './huggingface.ts';
import { jina } from './jina.ts';
import { llamaCpp } from './llama-cpp.ts';
import { lmStudio } from './lm-studio.ts';
import { minimax } from './minimax.ts';
import { mistral } from './mistral.ts';
import { moonshot } from './moonshot.ts';
import { nebius } from './nebius.ts';
import { nvidiaNim } from './nvidia-nim.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openaiCompatible } from './openai-compatible.ts';
import { openrouter } from './openrouter.ts';
import { perplexity } from './perplexity.ts';
import type { ProviderProfile } from './profile.ts';
import { sambanova } from './sambanova.ts';
import { sglang } from './sglang.ts';
import { siliconflow } from './siliconflow.ts';
import { tei } from './tei.ts';
import { together } from './together.ts';
import { vertex } from './vertex.ts';
import { vllm } from './vllm.ts';
import { volcengine } from './volcengine.ts';
import { voyage } from './voyage.ts';
import { xai } from './xai.ts';
import { zhipu } from './zhipu.ts';

export { tokenMs } from './access-tokens.ts';
export type { ModelList, ModelPage } from './model-list.ts';
export { openaiThinking } from './openai.ts';
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
  'azure-openai': azureOpenai,
  vertex,
  bedrock,
  mistral,
  groq,
  deepseek,
  xai,
  openrouter,
  together,
  fireworks,
  cerebras,
  sambanova,
  perplexity,
  'nvidia-nim': nvidiaNim,
  huggingface,
  deepinfra,
  nebius,
  moonshot,
  zhipu,
  dashscope,
  minimax,
  volcengine,
  siliconflow,
  'github-models': githubModels,
  cloudflare,
  voyage,
  jina,
  elevenlabs,
  deepgram,
  vllm,
  sglang,
  'llama-cpp': llamaCpp,
  'lm-studio': lmStudio,
};

/** @throws Error for a kind that does not exist, which no catalog holds */
export function profileOf(kind: string): ProviderProfile {
  const profile = providerProfiles[kind];
  if (!profile) throw new Error(`unknown kind of provider: ${kind}`);
  return profile;
}
