import { GatewayError } from '@model-gateway/canonical';
import { type GoogleAccess, googleAccess } from './google-tokens.ts';
import {
  adviceFor,
  type Connection,
  type ExplainedRefusal,
  type FormatsByOperation,
  gptOss,
  type ProviderAccess,
  type ProviderProfile,
} from './profile.ts';

/** The address of the location `global`. */
const globalUrl = 'https://aiplatform.googleapis.com';

const gemini = {
  generate: ['generate-content'],
  image: ['generate-content'],
} as const satisfies FormatsByOperation;
/** Models for text embeddings by the `predict` method; newer ones have another, as in `tIsVertexEmbedContentModel` of Google's SDK. */
const vectors = { embed: ['vertex-embed'] } as const satisfies FormatsByOperation;
const newVectors = { embed: ['vertex-embed-content'] } as const satisfies FormatsByOperation;
const claude = { generate: ['messages'] } as const satisfies FormatsByOperation;
/** Models of other publishers, by the API in OpenAI's format. */
const open = { generate: ['chat'] } as const satisfies FormatsByOperation;

/** Google Cloud's Vertex AI. See docs/vertex.md. */
export const vertex: ProviderProfile = {
  label: 'Google Vertex AI',
  sources: [
    'https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest',
    'https://github.com/googleapis/js-genai',
    'https://github.com/anthropics/anthropic-sdk-typescript/tree/main/packages/vertex-sdk',
  ],
  telemetryName: 'gcp.vertex_ai',
  modelList: 'none',
  baseUrl: globalUrl,
  formats: {
    generate: ['generate-content', 'messages', 'chat'],
    image: ['generate-content'],
    embed: ['vertex-embed', 'vertex-embed-content'],
  },
  formatsOf(model) {
    switch (publisherOf(model)) {
      case 'google':
        if (/gemini-embedding-(?!001)/.test(model)) return newVectors;
        return /(?:text|multilingual|gemini)-embedding-/.test(model) ? vectors : gemini;
      case 'anthropic':
        return claude;
      default:
        return open;
    }
  },
  // From the guide "Get text embeddings" of Vertex AI.
  maxInputs: { embed: 250 },
  maxInputsOf: model => (model.includes('gemini-embedding') ? { embed: 1 } : {}),
  differences: {
    // As Anthropic's SDK for Vertex AI has it.
    messages: { inUrl: ['model'], bodyVersion: 'vertex-2023-10-16' },
    'generate-content': { inUrl: ['model'] },
    chat: {
      thinking: [
        gptOss,
        {
          models: /grok/,
          off: null,
          levels: [],
          source:
            'https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/grok/capabilities/reasoning',
          seen: '2026-04',
        },
      ],
    },
  },
  options: {
    project: {
      description: 'the id of the project; by default that of the credential',
      form: { pattern: /^[a-z][a-z0-9.:-]*$|^\d+$/, text: "a project's id or number" },
    },
    location: {
      description: 'the region, `us`, `eu`, or `global` (default)',
      form: { pattern: /^[a-z][a-z0-9-]*$/, text: 'a location such as europe-west4, us or global' },
    },
  },
  refusesBaseUrl(baseUrl) {
    const { pathname } = new URL(baseUrl);
    return /\/(?:projects|publishers)(?:\/|$)/.test(pathname)
      ? 'must end before /projects: the project and the location are options'
      : undefined;
  },
  connect,
};

/** Returns the publisher of a model, as in `anthropic/claude-sonnet-4-6` or `publishers/google/models/gemini-2.5-pro`. */
function publisherOf(model: string): string {
  const [, publisher] = /^(?:publishers\/)?([^/]+)\/./.exec(model) ?? [];
  if (publisher !== undefined && publisher !== 'endpoints') return publisher;
  return model.startsWith('claude') ? 'anthropic' : 'google';
}

async function connect(access: ProviderAccess): Promise<Connection> {
  const { apiKey, options, baseUrl } = access;
  const { location = 'global' } = options;
  const server = baseUrl === globalUrl ? addressOf(location) : baseUrl.replace(/\/v1(?:beta1)?$/, '');
  // Any other key than a service account's is a plain API key, as of the express mode.
  const isAccount = apiKey === undefined || apiKey.trimStart().startsWith('{');
  const { tokens, project: own }: Partial<GoogleAccess> = isAccount ? await googleAccess(access) : {};
  const project = options.project ?? own;
  if (tokens && !project)
    throw new GatewayError(
      'upstream',
      'The provider lacks options.project: the credential names no project.',
    );
  const scope = project ? `/projects/${project}/locations/${location}` : '';
  const key = { 'x-goog-api-key': apiKey ?? '' };
  return {
    url: (path, model, streams) => server + pathOf(path, model, streams === true, scope),
    sign: () => tokens?.headers() ?? key,
    explain: refusal => adviceFor(refusals, refusal, { project, location }),
  };
}

/** Returns the address of a location, as in Google's SDK (google-genai, `_api_client`). */
function addressOf(location: string): string {
  if (location === 'global') return globalUrl;
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

/** Returns the path of a request, from that of its format's vendor. The versions are those of the vendors' SDKs. */
function pathOf(path: string, model: string, streams: boolean, scope: string): string {
  if (path === '/chat/completions') return `/v1${scope}/endpoints/openapi${path}`;
  if (path === '/v1/messages/count_tokens')
    return `/v1${scope}${modelPath('anthropic/count-tokens')}:rawPredict`;
  if (path === '/v1/messages')
    return `/v1${scope}${modelPath(model)}:${streams ? 'streamRawPredict' : 'rawPredict'}`;
  // The method and query of a path such as `/v1beta/models/x:generateContent`.
  const [method = ''] = /:\w+(?:\?.*)?$/.exec(path) ?? [];
  return `/v1beta1${scope}${modelPath(model)}${method}`;
}

/** Returns the path of a model below the location. @throws GatewayError for a name that would be another path */
function modelPath(model: string): string {
  const segments = segmentsOf(model);
  if (segments.some(segment => segment === '' || segment === '.' || segment === '..'))
    throw new GatewayError('invalid-request', `The model name '${model}' is not valid.`, { param: 'model' });
  return `/${segments.map(encodeURIComponent).join('/')}`.replaceAll('%40', '@');
}

function segmentsOf(model: string): string[] {
  const segments = model.split('/');
  // A tuned model is an endpoint of the project.
  if (segments[0] === 'publishers' || segments[0] === 'endpoints') return segments;
  const name = segments.length > 1 ? segments.slice(1) : segments;
  return ['publishers', publisherOf(model), 'models', ...name];
}

/** The settings that a refusal may be about. */
interface VertexProject {
  project: string | undefined;
  location: string;
}

const named = ({ project }: VertexProject) => (project ? `project '${project}'` : 'the project');

/** Vertex AI's refusals, by the reasons and words of google.rpc.Status; the first one that matches is taken. */
const refusals: readonly ExplainedRefusal<VertexProject>[] = [
  {
    status: [403],
    text: /SERVICE_DISABLED|API has not been used in project/,
    message: (_, place) =>
      `The Vertex AI API is not enabled: enable aiplatform.googleapis.com in ${named(place)}.`,
  },
  {
    status: [403],
    text: /BILLING_DISABLED|requires billing/i,
    message: (_, place) => `Billing is not enabled: enable it for ${named(place)}.`,
  },
  {
    status: [400, 403, 404],
    text: /RESOURCE_PROJECT_INVALID|CONSUMER_INVALID|Project .{0,80}(?:not found|has been deleted)/,
    message: (_, place) =>
      `Google Cloud has no ${named(place)}, or the credential may not use it: check options.project.`,
  },
  {
    status: [400, 404],
    text: /Publisher [Mm]odel|Endpoint .{0,200}not found/,
    kind: 'not-found',
    message: ({ model }, { project, location }) =>
      `Vertex AI has no model '${model}' in the location '${location}' for ${named({ project, location })}: correct the model of the target or options.location, or enable the model in Model Garden.`,
  },
  {
    status: [400],
    text: /(?:location|region).{0,80}not supported|LOCATION_POLICY|unsupported (?:location|region)/i,
    message: (_, { location }) =>
      `Vertex AI does not serve this in the location '${location}': change options.location.`,
  },
  {
    status: [403],
    text: /aiplatform\.\w+\.\w+|IAM_PERMISSION_DENIED/,
    message: (_, place) =>
      `The account may not use Vertex AI: give it the role Vertex AI User in ${named(place)}, or correct options.project.`,
  },
  {
    status: [404],
    text: /was not found on this server|^\s*<(?:!doctype|html)/i,
    message: (_, { location }) =>
      `Google has no such path: check baseUrl and options.location ('${location}').`,
  },
  {
    status: [400, 401],
    text: /UNAUTHENTICATED|API_KEY_INVALID|API key not valid|invalid authentication credentials/,
    message: () =>
      "Google refused the credential: check that apiKey is a service account's key, or an API key of Vertex AI.",
  },
];
