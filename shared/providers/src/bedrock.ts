import { GatewayError } from '@model-gateway/canonical';
import { type AwsIdentity, credentialsOf } from './aws-credentials.ts';
import { bearer, type Connection, type ProviderAccess, type ProviderProfile } from './profile.ts';

/** Amazon Bedrock: Anthropic's models and those of embeddings in their own formats by InvokeModel, every other model by Converse. */
export const bedrock: ProviderProfile = {
  label: 'Amazon Bedrock',
  sources: [
    'https://docs.aws.amazon.com/bedrock/latest/APIReference/welcome.html',
    'https://github.com/anthropics/anthropic-sdk-typescript/tree/main/packages/bedrock-sdk',
  ],
  telemetryName: 'aws.bedrock',
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  formats: { generate: ['converse', 'messages'], embed: ['titan-embed', 'cohere-embed'] },
  formatsOf: model => families.find(([name]) => name.test(model))?.[1] ?? ofOthers,
  // The limits of the models' pages in the user guide of Bedrock.
  maxInputs: { embed: 96 },
  maxInputsOf: model => (titan.test(model) ? { embed: 1 } : {}),
  // The version is that of AWS's page on Anthropic's messages, the rest as @anthropic-ai/bedrock-sdk sends it.
  differences: {
    messages: {
      inUrl: ['model', 'stream'],
      bodyVersion: 'bedrock-2023-05-31',
      betas: 'body',
      streamType: 'application/vnd.amazon.eventstream',
    },
    'cohere-embed': { inUrl: ['model'] },
  },
  options: {
    region: {
      description: 'the AWS region, such as `us-east-1`',
      required: true,
      form: { pattern: /^[a-z]{2,5}(-[a-z]+)+-\d+$/, text: 'a region such as us-east-1' },
    },
    accessKeyId: {
      description:
        'the id of an access key whose secret is `apiKey`; without it, `apiKey` is a Bedrock API key',
      form: { pattern: /^\w{16,128}$/, text: 'the id of an access key, such as AKIAIOSFODNN7EXAMPLE' },
    },
    profile: { description: "a profile of the worker's AWS configuration files" },
    roleArn: {
      description: 'a role that is assumed',
      form: { pattern: /^arn:[\w-]+:iam::\d{12}:role\/\S+$/, text: 'the ARN of a role' },
    },
    guardrail: {
      description: 'the id or the ARN of a guardrail, which checks every prompt and answer',
      form: {
        pattern: /^(?:[a-z0-9]+|arn:aws(?:-[^:]+)?:bedrock:[a-z0-9-]{1,20}:\d{12}:guardrail\/[a-z0-9]+)$/,
        text: 'the id or the ARN of a guardrail',
      },
    },
    guardrailVersion: {
      description: 'the version of the guardrail; by default its working draft, `DRAFT`',
      form: { pattern: /^(?:[1-9]\d{0,7}|DRAFT)$/, text: 'a number such as 1, or DRAFT' },
    },
  },
  connect,
};

const ofAnthropic = {
  generate: ['messages'],
  // A cross-region profile has no API that counts tokens, so the gateway estimates.
  'count-tokens': ['converse'],
} as const satisfies ProviderProfile['formats'];
const ofOthers = { generate: ['converse'] } as const satisfies ProviderProfile['formats'];

const titan = /(?:^|[./])amazon\.titan-embed-(?:g1-)?text/;

/** Formats by the name that a model id, a cross-region profile or an ARN of a model holds. */
const families: [RegExp, ProviderProfile['formats']][] = [
  [/(?:^|[./])anthropic\./, ofAnthropic],
  [titan, { embed: ['titan-embed'] }],
  [/(?:^|[./])cohere\.embed-/, { embed: ['cohere-embed'] }],
];

async function connect({ baseUrl, apiKey, options, agent, clock }: ProviderAccess): Promise<Connection> {
  const { region = '', accessKeyId } = options;
  const base = baseUrl.replace(/\.amazonaws\.com$/, `.${suffixOf(region)}`);
  const url: Connection['url'] = (path, model, streams = false) =>
    `${base}/model/${encodeURIComponent(model)}${pathOf(path, streams)}`;
  const additions = guardrailOf(options);
  // As the vendor's SDKs do with AWS_BEARER_TOKEN_BEDROCK.
  if (apiKey !== undefined && accessKeyId === undefined && !options.roleArn)
    return { url, additions, sign: () => bearer(apiKey) };
  if ((apiKey === undefined) !== (accessKeyId === undefined)) throw incomplete(apiKey === undefined);
  const credentials = credentialsOf(identityOf({ apiKey, options }), { agent, clock });
  // Only a process that signs loads the signer.
  const { sigV4 } = await import('./aws-signature.ts');
  return { url, additions, sign: sigV4({ service: 'bedrock', region, credentials }) };
}

/** Returns what a guardrail adds to a request: a field for Converse, headers for InvokeModel. */
function guardrailOf({
  guardrail,
  guardrailVersion = 'DRAFT',
}: ProviderAccess['options']): NonNullable<Connection['additions']> {
  if (guardrail === undefined) return () => undefined;
  const fields = {
    // The trace names the policies that blocked.
    guardrailConfig: { guardrailIdentifier: guardrail, guardrailVersion, trace: 'enabled' },
  };
  const headers = {
    'x-amzn-bedrock-guardrailidentifier': guardrail,
    'x-amzn-bedrock-guardrailversion': guardrailVersion,
  };
  return path => (path === '/converse' ? { fields } : path === '/v1/messages' ? { headers } : undefined);
}

function identityOf({ apiKey, options }: Pick<ProviderAccess, 'apiKey' | 'options'>): AwsIdentity {
  const { region = '', accessKeyId, profile, roleArn } = options;
  return {
    region,
    ...(accessKeyId && apiKey && { key: { accessKeyId, secretAccessKey: apiKey } }),
    ...(profile && { profile }),
    ...(roleArn && { roleArn }),
  };
}

/** Returns the error of an access key of which only one half is set. */
function incomplete(withoutSecret: boolean): GatewayError {
  const fault = withoutSecret
    ? 'options.accessKeyId has no secret: set it as apiKey'
    : 'a role is assumed by an access key or the default chain: set options.accessKeyId, or remove apiKey';
  return new GatewayError('upstream', "The gateway's credential for this model's provider is incomplete.", {
    refusedKey: true,
    fault,
  });
}

/** Returns the path of an operation below that of the model. */
function pathOf(path: string, streams: boolean): string {
  if (path === '/converse') return streams ? '/converse-stream' : '/converse';
  return streams ? '/invoke-with-response-stream' : '/invoke';
}

/** Domains of AWS's partitions by the beginning of a region, from the SDK's `partitions.json`. */
const suffixes: [string, string][] = [
  ['cn-', 'amazonaws.com.cn'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['us-isof-', 'csp.hci.ic.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
  ['eusc-', 'amazonaws.eu'],
];

function suffixOf(region: string): string {
  return suffixes.find(([beginning]) => region.startsWith(beginning))?.[1] ?? 'amazonaws.com';
}
