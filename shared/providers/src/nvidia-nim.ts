import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const nvidiaNim: ProviderProfile = {
  label: 'NVIDIA NIM',
  sources: [
    'https://docs.api.nvidia.com/nim/reference/llm-apis',
    'https://docs.nvidia.com/nim/nemo-retriever/text-embedding/latest/reference.html',
  ],
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  formats: { generate: ['chat', 'completions'], embed: ['nim-embed'] },
  keyVariable: 'NVIDIA_API_KEY',
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
