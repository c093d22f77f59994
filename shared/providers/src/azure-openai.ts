import { GatewayError } from '@model-gateway/canonical';
import { entraTokens } from './entra-tokens.ts';
import { openaiThinking } from './openai.ts';
import {
  adviceFor,
  type Connection,
  type ExplainedRefusal,
  type ProviderAccess,
  type ProviderProfile,
} from './profile.ts';

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
  const explain: Connection['explain'] = refusal => adviceFor(refusals, refusal, options);
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

type Options = ProviderAccess['options'];

/** Azure's refusals, from the troubleshooting pages of Azure OpenAI; the first one that matches is taken. */
const refusals: readonly ExplainedRefusal<Options>[] = [
  {
    status: [404],
    text: /DeploymentNotFound/,
    kind: 'not-found',
    message: ({ model }) =>
      `Azure has no deployment '${model}': create it, or name another one as the model of the target.`,
  },
  {
    status: [400, 404],
    text: /api[ -]?version\b.{0,80}\b(?:not supported|unsupported|invalid|retired|deprecated|only)|UnsupportedApiVersion|not support the API version|enabled only for api-version/i,
    message: (_, { apiVersion }) =>
      apiVersion
        ? `Azure does not serve this request with the API version '${apiVersion}': set options.apiVersion to a newer one, or remove it.`
        : 'Azure does not serve this request without an API version: set options.apiVersion.',
  },
  {
    status: [404],
    text: /Resource not found/i,
    message: (_, { apiVersion }) =>
      apiVersion
        ? `Azure has no such path: check baseUrl and options.apiVersion ('${apiVersion}').`
        : 'Azure has no such path: check baseUrl, or set options.apiVersion for a resource without the v1 API.',
  },
  {
    status: [400, 401, 403],
    text: /tenant.{0,60}(?:not match|mismatch)|does not match resource t/i,
    message: (_, { tenantId }) =>
      `Azure refused the token of ${tenantId ? `tenant '${tenantId}'` : 'this identity'}: set options.tenantId to the tenant of the resource.`,
  },
  {
    status: [401, 403],
    text: /PermissionDenied|lacks the required data action/,
    message: (_, { clientId }) =>
      `Azure refused the identity${clientId ? ` '${clientId}'` : ''}: give it the role Cognitive Services OpenAI User on the resource.`,
  },
  {
    status: [403],
    text: /Virtual Network|Firewall|Public access is disabled/i,
    message: () =>
      "Azure's network rules refused the gateway: allow its address in the resource, or use the private endpoint.",
  },
  {
    status: [401],
    text: /^/,
    message: () =>
      'Azure refused the credential: check that apiKey is a key of the resource that baseUrl names.',
  },
];
