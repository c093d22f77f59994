import { bearer, fixedConnection, type ProviderProfile, withoutPath } from './profile.ts';

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
  connect: ({ baseUrl, apiKey, options: { account } }) =>
    fixedConnection(`${withoutPath(baseUrl, '/')}/accounts/${account}/ai/v1`, bearer(apiKey)),
};
