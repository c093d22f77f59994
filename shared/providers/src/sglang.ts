import {
  bearer,
  fixedConnection,
  gptOss,
  type ProviderProfile,
  templateThinks,
  withPath,
} from './profile.ts';

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
    chat: {
      continuation: { request: { continue_final_message: true, add_generation_prompt: false } },
      thinking: [
        gptOss,
        {
          // Servers of before March 2026 refuse `reasoning_effort: none`, which is in sgl-project/sglang#20556.
          off: templateThinks(false),
          on: templateThinks(true),
          levels: ['low', 'medium', 'high'],
          source: 'https://docs.sglang.io/docs/advanced_features/thinking_budget',
          seen: '2026-11',
        },
      ],
    },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
