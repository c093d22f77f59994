import { optionMisfit } from '@model-gateway/catalog';
import type { Part } from '../account.ts';
import type { Secret } from '../providers-draft.ts';
import type { Variables } from './variables.ts';

/** The options of a cloud's provider, and its credential if the deployment states one. */
interface CloudAccess {
  options: Record<string, string>;
  apiKey?: Secret;
}

interface Option {
  /** The field of `litellm_params`. */
  field: string;
  /** Environment variables from which LiteLLM takes it if there is no field, the first one first. */
  variables?: readonly string[];
  /** LiteLLM's value if there is none at all. */
  otherwise?: string;
}

interface Cloud {
  options: Readonly<Record<string, Option>>;
  /** The field of the secret that belongs to the options. */
  secret: string;
  /** The option without which the secret is not read. */
  identity?: string;
}

/** The clouds by their kinds, as LiteLLM 1.110 reads them (llms/azure/common_utils.py, llms/bedrock/base_aws_llm.py, llms/vertex_ai/vertex_llm_base.py). */
const clouds: Readonly<Record<string, Cloud>> = {
  'azure-openai': {
    options: {
      apiVersion: { field: 'api_version', variables: ['AZURE_API_VERSION'] },
      tenantId: { field: 'tenant_id', variables: ['AZURE_TENANT_ID'] },
      clientId: { field: 'client_id', variables: ['AZURE_CLIENT_ID'] },
    },
    secret: 'client_secret',
    identity: 'clientId',
  },
  bedrock: {
    options: {
      region: {
        field: 'aws_region_name',
        variables: ['AWS_REGION_NAME', 'AWS_REGION'],
        otherwise: 'us-west-2',
      },
      accessKeyId: { field: 'aws_access_key_id' },
      profile: { field: 'aws_profile_name' },
      roleArn: { field: 'aws_role_name' },
    },
    secret: 'aws_secret_access_key',
    identity: 'accessKeyId',
  },
  vertex: {
    options: {
      project: { field: 'vertex_project', variables: ['VERTEXAI_PROJECT'] },
      location: { field: 'vertex_location', variables: ['VERTEXAI_LOCATION'], otherwise: 'us-central1' },
    },
    secret: 'vertex_credentials',
  },
};

/** Reads how a deployment signs in at a cloud; undefined for a kind that is none. `fieldOf` returns a field of the deployment. */
export function cloudAccessOf(
  kind: string,
  fieldOf: (name: string) => Part,
  variables: Variables,
): CloudAccess | undefined {
  const cloud = clouds[kind];
  if (!cloud) return undefined;
  const options = Object.fromEntries(
    Object.entries(cloud.options).flatMap(([name, option]) => {
      const value = optionOf(fieldOf(option.field), option, variables);
      return value === undefined || !fits(kind, name, value, fieldOf(option.field)) ? [] : [[name, value]];
    }),
  );
  // Values of Azure's variables alone mean nothing: a deployment with an API key ignores them.
  if (kind === 'azure-openai' && !fieldOf(cloud.secret).isPresent) {
    delete options.tenantId;
    delete options.clientId;
  }
  const apiKey = secretOf(fieldOf(cloud.secret), variables);
  return { options, ...(apiKey && (!cloud.identity || options[cloud.identity]) && { apiKey }) };
}

function optionOf(part: Part, { variables: names = [], otherwise }: Option, variables: Variables) {
  if (part.isPresent) return variables.textOf(part);
  return names.map(name => variables.valueOf(name)).find(value => value !== undefined) ?? otherwise;
}

/** True if a value has the form of the kind's option; else it is reported. */
function fits(kind: string, name: string, value: string, part: Part): boolean {
  const misfit = optionMisfit(kind, name, value);
  if (misfit) part.lose(`It ${misfit}.`);
  return misfit === undefined;
}

/** Returns the secret that a field states. The content of a file is not read. */
function secretOf(part: Part, variables: Variables): Secret | undefined {
  const secret = variables.secretOf(part);
  if (!secret || 'env' in secret || !/^[^{\s]+\.json$/.test(secret.value)) return secret;
  part.change('It names a file. Set GOOGLE_APPLICATION_CREDENTIALS of the workers to the file.');
  return undefined;
}

/** Splits LiteLLM's name of a model of Bedrock, such as `converse/us-east-1/anthropic.claude-3`, into the region and Bedrock's id. */
export function bedrockModel(name: string): { model: string; region: string | undefined } {
  const [, region, model = name] =
    /^(?:(?:converse|converse_like|invoke)\/)?(?:([a-z]{2}(?:-[a-z]+)+-\d)\/)?(.+)$/.exec(name) ?? [];
  return { model, region };
}
