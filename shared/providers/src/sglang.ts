import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const sglang: ProviderProfile = {
  label: 'SGLang',
  sources: ['https://docs.sglang.ai/basic_usage/openai_api.html'],
  baseUrl: 'http://127.0.0.1:30000/v1',
  formats: { generate: ['chat', 'completions'], embed: ['embeddings'], rerank: ['jina-rerank'] },
  choosesFormats: true,
  maxInputs: { embed: 2048 },
  firstTokenMs: 600_000,
  prefills: true,
  // By default, a last message of the assistant is answered by a new turn.
  differences: {
    chat: { continuation: { request: { continue_final_message: true, add_generation_prompt: false } } },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
