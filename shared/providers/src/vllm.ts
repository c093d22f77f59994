import {
  bearer,
  fixedConnection,
  gptOss,
  type ProviderProfile,
  templateThinks,
  withPath,
} from './profile.ts';

export const vllm: ProviderProfile = {
  label: 'vLLM',
  sources: ['https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html'],
  baseUrl: 'http://127.0.0.1:8000/v1',
  formats: {
    generate: ['chat', 'completions', 'responses'],
    embed: ['embeddings'],
    rerank: ['jina-rerank'],
    transcribe: ['transcriptions'],
  },
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
          // Servers of before May 2026 do not turn it off by `reasoning_effort: none`, which is in vllm-project/vllm#43401.
          off: templateThinks(false),
          on: templateThinks(true),
          levels: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
          source: 'https://docs.vllm.ai/en/stable/features/reasoning_outputs/',
          seen: '2026-11',
        },
      ],
    },
    responses: { thinking: [gptOss] },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
