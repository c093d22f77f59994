// Written by npm run docs from shared/providers/src. Change the code there, not this file.

/** The form's knowledge about a kind of provider. The gateway decides; a test compares this table with its list. */
interface ProviderKind {
  kind: string;
  about: string;
  /** True if the vendor has no base URL of its own. */
  needsBaseUrl?: true;
  /** True if a provider may choose its formats of generate. */
  choosesFormats?: true;
}

/** The kinds of providers. */
export const providerKinds: readonly ProviderKind[] = [
  { kind: 'openai', about: 'OpenAI', choosesFormats: true },
  {
    kind: 'openai-compatible',
    about: 'Any server that speaks these formats',
    needsBaseUrl: true,
    choosesFormats: true,
  },
  { kind: 'ollama', about: 'Ollama', choosesFormats: true },
  { kind: 'anthropic', about: 'Anthropic' },
  { kind: 'gemini', about: 'Gemini' },
  { kind: 'cohere', about: 'Cohere' },
  { kind: 'tei', about: 'text-embeddings-inference: embeddings, rerank', needsBaseUrl: true },
  { kind: 'azure-openai', about: 'Azure OpenAI', needsBaseUrl: true, choosesFormats: true },
  { kind: 'vertex', about: 'Google Vertex AI' },
  { kind: 'bedrock', about: 'Amazon Bedrock. Needs the option region.' },
  { kind: 'mistral', about: 'Mistral' },
  { kind: 'groq', about: 'Groq' },
  { kind: 'deepseek', about: 'DeepSeek' },
  { kind: 'xai', about: 'xAI' },
  { kind: 'openrouter', about: 'OpenRouter' },
  { kind: 'together', about: 'Together AI' },
  { kind: 'fireworks', about: 'Fireworks AI' },
  { kind: 'cerebras', about: 'Cerebras' },
  { kind: 'sambanova', about: 'SambaNova' },
  { kind: 'perplexity', about: 'Perplexity' },
  { kind: 'nvidia-nim', about: 'NVIDIA NIM' },
  { kind: 'huggingface', about: 'Hugging Face' },
  { kind: 'deepinfra', about: 'DeepInfra' },
  { kind: 'nebius', about: 'Nebius Token Factory' },
  { kind: 'moonshot', about: 'Moonshot AI' },
  { kind: 'zhipu', about: 'Zhipu (Z.ai)' },
  { kind: 'dashscope', about: 'Alibaba Cloud DashScope' },
  { kind: 'minimax', about: 'MiniMax' },
  { kind: 'volcengine', about: 'Volcengine Ark' },
  { kind: 'siliconflow', about: 'SiliconFlow' },
  { kind: 'github-models', about: 'GitHub Models' },
  { kind: 'cloudflare', about: 'Cloudflare Workers AI. Needs the option account.' },
  { kind: 'voyage', about: 'Voyage AI: embeddings, rerank' },
  { kind: 'jina', about: 'Jina AI: embeddings, rerank' },
  { kind: 'elevenlabs', about: 'ElevenLabs: speech' },
  { kind: 'deepgram', about: 'Deepgram: transcription' },
  { kind: 'vllm', about: 'vLLM', choosesFormats: true },
  { kind: 'sglang', about: 'SGLang', choosesFormats: true },
  { kind: 'llama-cpp', about: 'llama.cpp', choosesFormats: true },
  { kind: 'lm-studio', about: 'LM Studio', choosesFormats: true },
];
