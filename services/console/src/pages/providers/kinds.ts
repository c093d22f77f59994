/** What the form knows of a kind of provider. The gateway decides; a test holds this table to its list. */
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
    about: 'vLLM, llama.cpp, LM Studio, or another gateway',
    needsBaseUrl: true,
    choosesFormats: true,
  },
  { kind: 'ollama', about: 'Ollama', choosesFormats: true },
  { kind: 'anthropic', about: 'Anthropic' },
  { kind: 'gemini', about: 'Gemini' },
  { kind: 'cohere', about: 'Cohere: embeddings, rerank' },
  { kind: 'tei', about: 'text-embeddings-inference', needsBaseUrl: true },
  { kind: 'bedrock', about: 'Amazon Bedrock; its region is the option region' },
];

export const apiFormats = ['chat', 'responses', 'completions'] as const;
