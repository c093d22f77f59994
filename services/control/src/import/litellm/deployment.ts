import type { Price } from '@model-gateway/catalog';
import { plainHeaders } from '../accepted.ts';
import type { Part } from '../account.ts';
import type { ProvidersDraft, Secret } from '../providers-draft.ts';
import { cloudAccessOf } from './clouds.ts';
import { priceOf } from './prices.ts';
import { routeOf, type TargetRoute } from './route.ts';
import type { Variables } from './variables.ts';

/** An entry of `model_list`, as a target with what it says about its model. */
export interface Deployment {
  /** The name that clients use. */
  group: string;
  entry: Part;
  targets: { provider: string; model: string; price?: Price }[];
  /** The group of targets that are tried before those of a higher one. */
  order: number | undefined;
  weight: number | undefined;
  requestsPerMinute: number | undefined;
  tokensPerMinute: number | undefined;
  retries: Part;
  timeout: Part;
  streamTimeout: Part;
  context: number | undefined;
  maxOutput: number | undefined;
  isRealtime: boolean;
  drop: string[];
  accessGroups: string[];
}

/** The parts of a config that all its deployments share. */
interface Surroundings {
  providers: ProvidersDraft;
  variables: Variables;
  /** The values of named credentials. */
  credentials: ReadonlyMap<string, Part>;
}

/** Reads an entry of `model_list`; undefined if the gateway cannot serve it, which is then reported. */
export function readDeployment(entry: Part, around: Surroundings): Deployment | undefined {
  const [params, info] = [entry.get('litellm_params'), entry.get('model_info')];
  const group = entry.get('model_name').text();
  const name = around.variables.textOf(params.get('model'));
  // A request would go to the real provider, which costs money.
  if (params.get('mock_response').isPresent)
    return entry.lose(`${group}: it has a mock answer, and the gateway has none.`);
  if (!group || !name) return entry.lose('It has no model_name, or no litellm_params.model.');
  const mode = info.get('mode').text();
  const route = wayOf(params, name, mode, around);
  if ('lost' in route) return entry.lose(`${group}: ${route.lost}`);
  if (route.model.includes('*') && !group.includes('*'))
    return entry.lose(`${group}: the name has no *, but the model at the provider has one.`);
  for (const change of route.changes) params.get('model').change(change);
  const price = priceOf([params, info], mode);
  const weights = { weight: params.get('weight').number(), ...sharesOf(params) };
  return {
    ...{ group, entry, ...weights },
    targets: providersOf(params, route, around).map(provider => ({
      ...{ provider, model: route.model },
      ...(price && { price }),
    })),
    order: params.get('order').number(),
    retries: params.get('num_retries').isPresent ? params.get('num_retries') : params.get('max_retries'),
    timeout: params.get('timeout'),
    streamTimeout: params.get('stream_timeout'),
    context: wholeOf(info.get('max_input_tokens')),
    maxOutput: wholeOf(info.get('max_output_tokens')),
    isRealtime: mode === 'realtime',
    drop: dropped(params.get('additional_drop_params')),
    accessGroups: info.get('access_groups').texts(),
  };
}

function wayOf(params: Part, model: string, mode: string | undefined, around: Surroundings) {
  const address = ownOrCredential(params, 'api_base', around);
  const alias = address.isPresent ? address : params.get('base_url');
  const baseUrl = around.variables.textOf(alias);
  if (alias.isPresent && baseUrl === undefined)
    return { lost: 'Its api_base is that of a variable that is not set here. Set it and import again.' };
  if (baseUrl !== undefined && !/^https?:\/\/[^?#]+$/.test(baseUrl))
    return { lost: 'Its api_base is no http URL.' };
  if (params.get('azure_ad_token').isPresent)
    return {
      lost: 'It states a token of Entra ID, which soon expires. State tenant_id, client_id and client_secret.',
    };
  const vendor = params.get('custom_llm_provider').text();
  return routeOf({ model, vendor, mode, baseUrl: baseUrl?.replace(/\/+$/, '') });
}

function sharesOf(params: Part) {
  const [requests, tokens] = [params.get('rpm'), params.get('tpm')];
  const shares = { requestsPerMinute: requests.number(), tokensPerMinute: tokens.number() };
  const reason =
    'It is the share of the target among those of its model. The gateway has no limits for targets: set limits of projects and tokens.';
  for (const each of [requests, tokens]) if (each.isPresent) each.change(reason);
  return shares;
}

/** Returns the names of the deployment's providers: one, or one for each of several organizations. */
function providersOf(params: Part, route: TargetRoute, around: Surroundings): string[] {
  const { providers, variables } = around;
  const credential = params.get('litellm_credential_name').text();
  const headers = {
    ...plainHeaders(params.get('extra_headers'), part => variables.textOf(part)),
    ...plainHeaders(params.get('default_headers'), part => variables.textOf(part)),
  };
  const organization = params.get('organization');
  const organizations = Array.isArray(organization.value) ? organization.entries() : [organization];
  const cloud = cloudAccessOf(route.kind, field => ownOrCredential(params, field, around), variables);
  const options = { ...cloud?.options, ...route.options };
  const apiKey = cloud?.apiKey ?? keyOf(params, route, around);
  return organizations.map(each => {
    const id = variables.textOf(each);
    const vendor = credential ?? route.vendor.replace('text-completion-', '');
    const name = [vendor, route.api?.at(-1), id].filter(Boolean).join('-');
    return providers.add(
      {
        ...{ name, kind: route.kind, baseUrl: route.baseUrl, options, api: route.api, apiKey },
        headers: { ...headers, ...(id && { 'OpenAI-Organization': id }) },
      },
      params.where,
    );
  });
}

function keyOf(params: Part, { keyVariable, vendor }: TargetRoute, around: Surroundings): Secret | undefined {
  const stated = around.variables.secretOf(ownOrCredential(params, 'api_key', around));
  if (stated || keyVariable === undefined) return stated;
  const address = ownOrCredential(params, 'api_base', around);
  // A variable that is not set would disable the provider.
  if (!address.isPresent || vendor === 'azure' || around.variables.has(keyVariable))
    return { env: keyVariable };
  address.change(`The provider sends no API key, since it states none and ${keyVariable} is not set here.`);
  return undefined;
}

function ownOrCredential(params: Part, field: string, { credentials }: Surroundings): Part {
  const own = params.get(field);
  if (own.isPresent) return own;
  const name = params.get('litellm_credential_name');
  const credential = name.isPresent ? credentials.get(name.text() ?? '') : undefined;
  if (name.isPresent && !credential) name.lose('There is no credential of this name in credential_list.');
  return credential?.get(field) ?? own;
}

function wholeOf(part: Part): number | undefined {
  const number = part.number();
  if (number === undefined || (Number.isInteger(number) && number > 0)) return number;
  return part.lose('It must be a whole number greater than zero.');
}

function dropped(part: Part): string[] {
  return part.entries().flatMap(entry => {
    const field = entry.text();
    if (field === undefined || /^\w+$/.test(field)) return field ?? [];
    return entry.lose('The gateway drops whole fields of a request only.') ?? [];
  });
}
