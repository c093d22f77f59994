import {
  bearer,
  fixedConnection,
  gptOss,
  type ProviderProfile,
  templateThinks,
  withoutPath,
} from './profile.ts';

export const cloudflare: ProviderProfile = {
  label: 'Cloudflare Workers AI',
  sources: ['https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility'],
  baseUrl: 'https://api.cloudflare.com/client/v4',
  formats: { generate: ['chat', 'responses'], embed: ['embeddings'] },
  options: {
    account: {
      description: 'the id of the account',
      required: true,
      variable: 'CLOUDFLARE_ACCOUNT_ID',
      form: { pattern: /^[0-9a-zA-Z]{1,64}$/, text: 'the id of an account: letters and digits' },
    },
  },
  // Its list of models is not at the address of its OpenAI-style API.
  modelList: 'none',
  maxInputs: { embed: 100 },
  keyVariable: 'CLOUDFLARE_API_TOKEN',
  differences: {
    chat: {
      thinking: [
        gptOss,
        {
          models: /glm|kimi|qwen|qwq/i,
          off: templateThinks(false),
          levels: ['low', 'medium', 'high'],
          source: 'https://github.com/cloudflare/ai/releases/tag/workers-ai-provider%403.1.12',
          seen: '2026-04',
        },
      ],
    },
    responses: { thinking: [gptOss] },
  },
  connect: ({ baseUrl, apiKey, options: { account } }) =>
    fixedConnection(`${withoutPath(baseUrl, '/')}/accounts/${account}/ai/v1`, bearer(apiKey)),
};
