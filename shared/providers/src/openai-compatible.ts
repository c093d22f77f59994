import { bearer, fixedConnection, gptOss, type ProviderProfile } from './profile.ts';

/** Any server that speaks OpenAI's formats: vLLM, llama.cpp, LM Studio and many more. Their base URLs differ in path. */
export const openaiCompatible: ProviderProfile = {
  label: 'Any server that speaks these formats',
  realServer:
    'llama.cpp: all four client formats, tool calls, errors; LiteLLM: the same, disconnects, discovery, failover',
  baseUrl: undefined,
  formats: {
    generate: ['chat'],
    embed: ['embeddings'],
    moderate: ['moderations'],
    image: ['images'],
    speech: ['speech'],
    transcribe: ['transcriptions'],
    rerank: ['jina-rerank'],
    realtime: ['realtime'],
  },
  choosesFormats: true,
  maxInputs: { embed: 2048 },
  acceptsMinusOne: true,
  firstTokenMs: 600_000,
  prefills: true,
  differences: { chat: { thinking: [gptOss] }, responses: { thinking: [gptOss] } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(baseUrl, bearer(apiKey)),
};
