import { Account, type Part } from '../account.ts';
import { ProvidersDraft } from '../providers-draft.ts';
import type { CatalogDraft, Imported, ModelDraft } from '../result.ts';
import { remarksOf, removeRefused } from '../valid-catalog.ts';
import { type Deployment, readDeployment } from './deployment.ts';
import { addFallbacks, aliasesOf } from './fallbacks.ts';
import { allowUnpriced, budgetsOf, teamsOf, usersOf } from './groups.ts';
import { tokensOf } from './keys.ts';
import { modelsOf } from './models.ts';
import { reasonOf } from './reasons.ts';
import { Variables } from './variables.ts';

/** The parts of LiteLLM that are read. */
export interface LitellmSource {
  /** The content of config.yaml, with what it includes. */
  config: unknown;
  /** Rows of LiteLLM_VerificationToken, LiteLLM_TeamTable, LiteLLM_UserTable and LiteLLM_BudgetTable. */
  keys: readonly unknown[];
  teams: readonly unknown[];
  users: readonly unknown[];
  budgets: readonly unknown[];
  /** Environment variables of this process, to which the config may refer. */
  variables: Readonly<Record<string, string | undefined>>;
  now: Date;
}

/** Converts a configuration of LiteLLM, and the keys of its database. */
export function importLitellm(source: LitellmSource): Imported {
  const account = new Account();
  const config = account.root('', source.config);
  const rows = (name: 'keys' | 'teams' | 'users' | 'budgets') =>
    account.root(name, source[name], { skipsEmpty: true });
  const keys = rows('keys');
  const stated = Object.entries(textsOf(config.get('environment_variables').value));
  const providers = new ProvidersDraft('LITELLM');
  const variables = new Variables({ ...source.variables, ...Object.fromEntries(stated) });
  const credentials = new Map(
    config
      .get('credential_list')
      .entries()
      .map(each => [each.get('credential_name').text() ?? '', each.get('credential_values')]),
  );
  const deployments = config
    .get('model_list')
    .entries()
    .flatMap(entry => readDeployment(entry, { providers, variables, credentials }) ?? []);
  const [models, aliases] = modelsWith(config, deployments);
  keepStated(config, providers, stated);
  const [teams, users] = [teamsOf(rows('teams').entries()), usersOf(rows('users').entries())];
  const accessGroups = Map.groupBy(
    deployments.flatMap(({ group, accessGroups }) => accessGroups.map(name => ({ name, group }))),
    ({ name }) => name,
  );
  const tokens = tokensOf(keys.entries(), {
    ...{ teams, users, now: source.now, budgets: budgetsOf(rows('budgets').entries()) },
    accessGroups: new Map(
      [...accessGroups].map(([name, members]) => [name, [...new Set(members.map(each => each.group))]]),
    ),
  });
  const catalog: CatalogDraft = {
    providers: providers.list,
    models,
    projects: [...teams.values()].map(({ project }) => project),
    users: [...users.values()].map(({ user }) => user),
  };
  const unpriced = allowUnpriced(catalog, tokens);
  if (unpriced.length > 0)
    keys.change(
      `Of the projects ${unpriced.join(', ')}, tokens with a budget may use models without a price, as in LiteLLM (allowUnpriced).`,
    );
  const origins = new Map([...deployments.map(({ group, entry }) => [group, entry] as const), ...aliases]);
  const refused = remarksOf(removeRefused(catalog), name => origins.get(name));
  return {
    ...{ catalog, tokens, secrets: providers.secrets },
    comments: commentsOf(catalog, providers, deployments),
    remarks: [...account.close(reasonOf), ...refused],
  };
}

/** Returns the models with their fallbacks, and where the aliases among them are in the source. */
function modelsWith(config: Part, deployments: readonly Deployment[]): [ModelDraft[], [string, Part][]] {
  const [router, module] = [config.get('router_settings'), config.get('litellm_settings')];
  const either = (name: string, other = name) =>
    router.get(name).isPresent ? router.get(name) : module.get(other);
  const models = modelsOf(deployments, {
    strategy: router.get('routing_strategy'),
    retries: either('num_retries'),
    timeout: either('timeout', 'request_timeout'),
    streamTimeout: router.get('stream_timeout'),
  });
  const alias = router.get('model_group_alias');
  const both = (name: string) => [router.get(name), module.get(name)];
  addFallbacks(models, new Set(alias.fields().map(({ key }) => key)), {
    general: both('fallbacks'),
    contextLength: both('context_window_fallbacks'),
    contentPolicy: both('content_policy_fallbacks'),
    byDefault: both('default_fallbacks'),
  });
  const aliases = aliasesOf(alias, models);
  models.push(...aliases.map(({ model }) => model));
  return [models, aliases.map(({ model, from }) => [model.name, from])];
}

/** Keeps the variables of `environment_variables` that providers name. */
function keepStated(
  config: Part,
  providers: ProvidersDraft,
  stated: readonly (readonly [string, string])[],
): void {
  const named = new Set(providers.list.map(({ apiKey }) => apiKey?.env));
  for (const [name, value] of stated) {
    if (!named.has(name)) continue;
    config.get('environment_variables').get(name).text();
    providers.keepVariable(name, value);
  }
}

function textsOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  const entries = Object.entries(value).filter(([, each]) =>
    ['string', 'number', 'boolean'].includes(typeof each),
  );
  return Object.fromEntries(entries.map(([name, each]) => [name, String(each)]));
}

function commentsOf(catalog: CatalogDraft, providers: ProvidersDraft, deployments: readonly Deployment[]) {
  const comments = new Map<string, string>();
  for (const [at, { name }] of catalog.providers.entries()) {
    const origins = providers.origins.get(name) ?? [];
    comments.set(`providers.${at}`, short(origins.map(origin => origin.replace('.litellm_params', ''))));
  }
  const places = Map.groupBy(deployments, ({ group }) => group);
  for (const [at, { name }] of catalog.models.entries()) {
    const members = places.get(name)?.map(({ entry }) => entry.where);
    comments.set(`models.${at}`, members ? short(members) : 'router_settings.model_group_alias');
  }
  return comments;
}

const shownPlaces = 3;

function short(places: readonly string[]): string {
  const more = places.length - shownPlaces;
  return places.slice(0, shownPlaces).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
