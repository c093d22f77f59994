import { GatewayError } from '@model-gateway/canonical';
import { entraTokens } from './entra-tokens.ts';
import { explainAzure } from './explain-azure.ts';
import { openaiThinking } from './openai-thinking.ts';
import type { Connection, ProviderAccess, ProviderProfile } from './profile.ts';

/** Azure OpenAI in Azure AI Foundry. A target's model is the name of a deployment. See docs/azure.md. */
export const azureOpenai: ProviderProfile = {
  label: 'Azure OpenAI',
  sources: [
    'https://learn.microsoft.com/azure/ai-foundry/openai/reference',
    'https://github.com/openai/openai-node/blob/master/src/azure.ts',
  ],
  telemetryName: 'azure.ai.openai',
  // Its list has the models that could be deployed, not the deployments.
  modelList: 'none',
  baseUrl: undefined,
  formats: {
    generate: ['chat', 'responses'],
    embed: ['embeddings'],
    image: ['images'],
    speech: ['speech'],
    transcribe: ['transcriptions'],
    realtime: ['realtime'],
  },
  choosesFormats: true,
  maxInputs: { embed: 2048 },
  original: true,
  // Deployments that have the names of their models.
  differences: { chat: { thinking: openaiThinking }, responses: { thinking: openaiThinking } },
  hasRealtime: deployment => deployment.includes('realtime'),
  options: {
    apiVersion: {
      description:
        'a dated API version, such as `2024-10-21`, for paths with a deployment; `preview` or absent for the v1 API',
      form: {
        pattern: /^(?:\d{4}-\d{2}-\d{2}(?:-preview)?|preview|latest)$/,
        text: 'a date such as 2024-10-21 or 2025-04-01-preview, or preview or latest',
      },
    },
    tenantId: {
      description: 'for Entra ID: the tenant (directory) of the application',
      form: { pattern: /^[\w.-]+$/, text: "a tenant's id or domain" },
    },
    clientId: {
      description:
        'for Entra ID: the application, whose client secret is `apiKey`; without one, a managed or workload identity',
      form: { pattern: /^[\w-]+$/, text: "an application's (client) id" },
    },
    authorityHost: {
      description: 'for Entra ID in a sovereign cloud: the address of its login service',
      form: { pattern: /^https:\/\/[^/?#]+\/?$/, text: 'an https URL without a path' },
    },
    scope: {
      description: 'for Entra ID in a sovereign cloud: the scope of its tokens',
      form: { pattern: /^\S+\/\.default$/, text: 'a scope that ends with /.default' },
    },
  },
  refusesBaseUrl(baseUrl) {
    const { pathname, search } = new URL(baseUrl);
    if (/\/deployments(?:\/|$)/.test(pathname))
      return 'must end before /openai/deployments: the deployment is the model of a target';
    if (search) return 'must have no query: the API version is options.apiVersion';
    return undefined;
  },
  connect,
};

/** Paths below a deployment, as in `_deployments_endpoints` of OpenAI's SDK (azure.ts). */
const ofDeployment = new Set([
  '/completions',
  '/chat/completions',
  '/embeddings',
  '/audio/transcriptions',
  '/audio/translations',
  '/audio/speech',
  '/images/generations',
  '/images/edits',
]);

function connect(access: ProviderAccess): Connection {
  const { baseUrl, apiKey, options } = access;
  const { apiVersion, tenantId, clientId } = options;
  const server = baseUrl.replace(/\/openai(?:\/v1)?$/, '');
  const explain: Connection['explain'] = refusal => explainAzure(refusal, options);
  const url = (path: string, model: string) => server + pathOf(path, model, apiVersion);
  if (apiKey !== undefined && tenantId === undefined && clientId === undefined) {
    const headers = { 'api-key': apiKey };
    return { url, sign: () => headers, explain };
  }
  const tokens = entraTokens(access);
  return { url, sign: () => tokens.headers(), explain };
}

/** Returns the path and query of a request. The v1 API takes the model from the body, and has the only realtime API. */
function pathOf(path: string, model: string, apiVersion: string | undefined): string {
  if (!apiVersion || path.startsWith('/realtime')) return `/openai/v1${path}`;
  if (!/^\d/.test(apiVersion)) return `/openai/v1${path}?api-version=${apiVersion}`;
  const place = ofDeployment.has(path) ? `/deployments/${segment(model)}${path}` : path;
  return `/openai${place}?api-version=${apiVersion}`;
}

/** @throws GatewayError for a name that would be another path */
function segment(deployment: string): string {
  if (deployment !== '.' && deployment !== '..') return encodeURIComponent(deployment);
  throw new GatewayError('invalid-request', `The model name '${deployment}' is not valid.`, {
    param: 'model',
  });
}
