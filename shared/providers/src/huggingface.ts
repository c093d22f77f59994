import { bearer, fixedConnection, gptOss, type ProviderProfile, withPath } from './profile.ts';

export const huggingface: ProviderProfile = {
  label: 'Hugging Face',
  sources: ['https://huggingface.co/docs/inference-providers/tasks/chat-completion'],
  baseUrl: 'https://router.huggingface.co/v1',
  formats: { generate: ['chat', 'responses'] },
  keyVariable: 'HF_TOKEN',
  differences: { chat: { thinking: [gptOss] }, responses: { thinking: [gptOss] } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
