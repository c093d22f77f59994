/** A vendor of LiteLLM, as the gateway can reach it. */
export interface Vendor {
  kind: string;
  /** If absent, the kind's, or the one that the deployment states. */
  baseUrl?: string;
  /** The environment variable from which LiteLLM takes the API key. */
  keyVariable?: string;
  /** Differs from what LiteLLM does. */
  change?: string;
}

const compatible = (baseUrl: string, keyVariable: string): Vendor => ({
  kind: 'openai-compatible',
  baseUrl,
  keyVariable,
});
/** A vendor that has a kind of its own, at the kind's address or at another one. */
const named = (kind: string, keyVariable: string, baseUrl?: string): Vendor => ({
  ...{ kind, keyVariable },
  ...(baseUrl !== undefined && { baseUrl }),
});
/** A server of one's own, whose address each deployment states. */
const server: Vendor = { kind: 'openai-compatible' };

/**
 * Vendors by the prefix of LiteLLM's model names, with the base URLs and variables of LiteLLM 1.110
 * (litellm_core_utils/get_llm_provider_logic.py, llms/, llms/openai_like/providers.json).
 */
export const vendors: Readonly<Record<string, Vendor>> = {
  openai: { kind: 'openai', keyVariable: 'OPENAI_API_KEY' },
  'text-completion-openai': { kind: 'openai', keyVariable: 'OPENAI_API_KEY' },
  custom_openai: server,
  openai_like: server,
  hosted_vllm: server,
  litellm_proxy: server,
  xinference: server,
  infinity: server,
  anthropic: { kind: 'anthropic', keyVariable: 'ANTHROPIC_API_KEY' },
  gemini: { kind: 'gemini', keyVariable: 'GEMINI_API_KEY' },
  cohere: { kind: 'cohere', keyVariable: 'COHERE_API_KEY' },
  cohere_chat: { kind: 'cohere', keyVariable: 'COHERE_API_KEY' },
  ollama: { kind: 'ollama' },
  ollama_chat: { kind: 'ollama' },
  lm_studio: { kind: 'lm-studio' },
  llamafile: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:8080/v1' },
  lemonade: { kind: 'openai-compatible', baseUrl: 'http://localhost:8000/api/v1' },
  docker_model_runner: { kind: 'openai-compatible' },
  azure: { kind: 'azure-openai', keyVariable: 'AZURE_API_KEY' },
  bedrock: { kind: 'bedrock' },
  bedrock_converse: { kind: 'bedrock' },
  vertex_ai: { kind: 'vertex' },
  vertex_ai_beta: { kind: 'vertex' },
  huggingface: { kind: 'openai-compatible', keyVariable: 'HUGGINGFACE_API_KEY' },
  deepseek: {
    ...named('deepseek', 'DEEPSEEK_API_KEY'),
    change: "LiteLLM calls DeepSeek's /beta; the target uses /v1.",
  },
  aihubmix: compatible('https://aihubmix.com/v1', 'AIHUBMIX_API_KEY'),
  aiml: compatible('https://api.aimlapi.com/v1', 'AIML_API_KEY'),
  baseten: compatible('https://inference.baseten.co/v1', 'BASETEN_API_KEY'),
  cerebras: named('cerebras', 'CEREBRAS_API_KEY'),
  chutes: compatible('https://llm.chutes.ai/v1', 'CHUTES_API_KEY'),
  clarifai: compatible('https://api.clarifai.com/v2/ext/openai/v1', 'CLARIFAI_API_KEY'),
  codestral: named('mistral', 'CODESTRAL_API_KEY', 'https://codestral.mistral.ai/v1'),
  dashscope: named('dashscope', 'DASHSCOPE_API_KEY', 'https://dashscope.aliyuncs.com/compatible-mode/v1'),
  deepgram: named('deepgram', 'DEEPGRAM_API_KEY'),
  deepinfra: named('deepinfra', 'DEEPINFRA_API_KEY'),
  elevenlabs: named('elevenlabs', 'ELEVENLABS_API_KEY'),
  empower: compatible('https://app.empower.dev/api/v1', 'EMPOWER_API_KEY'),
  featherless_ai: compatible('https://api.featherless.ai/v1', 'FEATHERLESS_AI_API_KEY'),
  fireworks_ai: named('fireworks', 'FIREWORKS_API_KEY'),
  friendliai: compatible('https://api.friendli.ai/serverless/v1', 'FRIENDLI_TOKEN'),
  galadriel: compatible('https://api.galadriel.com/v1', 'GALADRIEL_API_KEY'),
  github: named('github-models', 'GITHUB_API_KEY', 'https://models.inference.ai.azure.com'),
  gmi: compatible('https://api.gmi-serving.com/v1', 'GMI_API_KEY'),
  groq: named('groq', 'GROQ_API_KEY'),
  helicone: compatible('https://ai-gateway.helicone.ai', 'HELICONE_API_KEY'),
  hyperbolic: compatible('https://api.hyperbolic.xyz/v1', 'HYPERBOLIC_API_KEY'),
  inception: compatible('https://api.inceptionlabs.ai/v1', 'INCEPTION_API_KEY'),
  jina_ai: named('jina', 'JINA_AI_API_KEY'),
  lambda_ai: compatible('https://api.lambda.ai/v1', 'LAMBDA_API_KEY'),
  llamagate: compatible('https://api.llamagate.dev/v1', 'LLAMAGATE_API_KEY'),
  meta_llama: compatible('https://api.llama.com/compat/v1', 'LLAMA_API_KEY'),
  minimax: named('minimax', 'MINIMAX_API_KEY'),
  mistral: named('mistral', 'MISTRAL_API_KEY'),
  modelscope: compatible('https://api-inference.modelscope.cn/v1', 'MODELSCOPE_API_KEY'),
  moonshot: named('moonshot', 'MOONSHOT_API_KEY'),
  morph: compatible('https://api.morphllm.com/v1', 'MORPH_API_KEY'),
  'nano-gpt': compatible('https://nano-gpt.com/api/v1', 'NANOGPT_API_KEY'),
  nebius: named('nebius', 'NEBIUS_API_KEY'),
  novita: compatible('https://api.novita.ai/v3/openai', 'NOVITA_API_KEY'),
  nscale: compatible('https://inference.api.nscale.com/v1', 'NSCALE_API_KEY'),
  nvidia_nim: named('nvidia-nim', 'NVIDIA_NIM_API_KEY'),
  openrouter: named('openrouter', 'OPENROUTER_API_KEY'),
  perplexity: named('perplexity', 'PERPLEXITYAI_API_KEY'),
  poe: compatible('https://api.poe.com/v1', 'POE_API_KEY'),
  publicai: compatible('https://api.publicai.co/v1', 'PUBLICAI_API_KEY'),
  sambanova: named('sambanova', 'SAMBANOVA_API_KEY'),
  scaleway: compatible('https://api.scaleway.ai/v1', 'SCW_SECRET_KEY'),
  synthetic: compatible('https://api.synthetic.new/openai/v1', 'SYNTHETIC_API_KEY'),
  together_ai: named('together', 'TOGETHERAI_API_KEY'),
  v0: compatible('https://api.v0.dev/v1', 'V0_API_KEY'),
  veniceai: compatible('https://api.venice.ai/api/v1', 'VENICE_AI_API_KEY'),
  vercel_ai_gateway: compatible('https://ai-gateway.vercel.sh/v1', 'VERCEL_AI_GATEWAY_API_KEY'),
  voyage: named('voyage', 'VOYAGE_API_KEY'),
  volcengine: named('volcengine', 'VOLCENGINE_API_KEY'),
  wandb: compatible('https://api.inference.wandb.ai/v1', 'WANDB_API_KEY'),
  xai: named('xai', 'XAI_API_KEY'),
  zai: named('zhipu', 'ZAI_API_KEY', 'https://api.z.ai/api/paas/v4'),
};

/** Reasons why the models of other vendors are not carried over, by their prefix. */
export const lackingVendors: Readonly<Record<string, string>> = {
  azure_ai:
    "The gateway has no provider for Azure AI. If the endpoint speaks OpenAI's formats, add an openai-compatible provider by hand.",
  azure_text: 'The gateway has no provider for text completions of Azure.',
  sagemaker: 'The gateway has no provider for Amazon SageMaker, which needs signed requests.',
  sagemaker_chat: 'The gateway has no provider for Amazon SageMaker, which needs signed requests.',
  auto_router: 'The gateway has no router that chooses a model by the prompt.',
  vllm: "LiteLLM runs vLLM in its own process. Run vLLM's server, and add an openai-compatible provider.",
};

/** Vendors of models without a prefix, by their names, as LiteLLM knows them. */
const namesOfVendors: readonly (readonly [RegExp, string])[] = [
  [
    /^(ft:)?(gpt-|o\d|chatgpt-|text-embedding-|text-moderation|omni-moderation|dall-e|whisper|tts-|sora|computer-use|codex)/,
    'openai',
  ],
  [/^(davinci|babbage)-002/, 'text-completion-openai'],
  [/^claude-/, 'anthropic'],
  [/^(command|c4ai-|embed-|rerank-)/, 'cohere'],
  [/^(gemini-|text-bison|chat-bison|textembedding-gecko|imagen)/, 'vertex_ai'],
];

/** Splits LiteLLM's name of a model into its vendor's prefix and the vendor's name of the model. */
export function splitModel(
  name: string,
  stated: string | undefined,
): { vendor: string | undefined; model: string } {
  const slash = name.indexOf('/');
  const prefix = slash < 0 ? undefined : name.slice(0, slash);
  const known = prefix !== undefined && (Object.hasOwn(vendors, prefix) || prefix in lackingVendors);
  if (stated !== undefined)
    return { vendor: stated, model: prefix === stated ? name.slice(slash + 1) : name };
  if (known) return { vendor: prefix, model: name.slice(slash + 1) };
  const guessed = prefix === undefined ? namesOfVendors.find(([names]) => names.test(name))?.[1] : undefined;
  return { vendor: guessed ?? prefix, model: guessed ? name : name.slice(slash + 1) };
}
