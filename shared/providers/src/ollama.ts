import { bearer, fixedConnection, gptOss, type ProviderProfile, withPath } from './profile.ts';

export const ollama: ProviderProfile = {
  label: 'Ollama',
  sources: ['https://docs.ollama.com/api/openai-compatibility'],
  realServer: 'all four client formats, tool calls, embeddings, an unknown model, disconnects, discovery',
  baseUrl: 'http://127.0.0.1:11434/v1',
  formats: { generate: ['chat'], embed: ['embeddings'] },
  choosesFormats: true,
  maxInputs: { embed: 2048 },
  acceptsMinusOne: true,
  firstTokenMs: 600_000,
  prefills: true,
  differences: {
    chat: {
      reasoning: 'reasoning',
      thinking: [
        gptOss,
        {
          off: 'none',
          levels: ['low', 'medium', 'high'],
          source: 'https://github.com/ollama/ollama/blob/main/openai/openai.go',
          seen: '2026-11',
        },
      ],
    },
  },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
