import {
  bearer,
  fixedConnection,
  gptOss,
  type ProviderProfile,
  templateThinks,
  withPath,
} from './profile.ts';

export const llamaCpp: ProviderProfile = {
  label: 'llama.cpp',
  sources: ['https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md'],
  realServer: 'all four client formats, tool calls, embeddings, errors, disconnects, discovery, failover',
  baseUrl: 'http://127.0.0.1:8080/v1',
  // Its events of responses have no `output_index`, with which OpenAI's SDK fails, so that responses are translated to chat.
  formats: { generate: ['chat', 'completions'], embed: ['embeddings'], rerank: ['jina-rerank'] },
  choosesFormats: true,
  maxInputs: { embed: 2048 },
  acceptsMinusOne: true,
  firstTokenMs: 600_000,
  prefills: true,
  differences: {
    chat: {
      thinking: [
        gptOss,
        {
          off: templateThinks(false),
          levels: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
          source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
          seen: '2026-08',
        },
      ],
    },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
