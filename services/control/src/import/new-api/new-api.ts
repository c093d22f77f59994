import type { KeptPrices } from '@model-gateway/catalog';
import { Account, type Part } from '../account.ts';
import { ProvidersDraft } from '../providers-draft.ts';
import type { CatalogDraft, Imported, ProjectDraft } from '../result.ts';
import { remarksOf, removeRefused } from '../valid-catalog.ts';
import { type Channel, channelsOf, modelsOf } from './channels.ts';
import type { NewApiSource } from './database.ts';
import { noteUnpriced, pricesOf, timesRatio, usualQuota } from './prices.ts';
import { reasonOf } from './reasons.ts';
import { tokensOf, usersOf } from './tokens.ts';

/** Converts a database of new-api. `kept` are the vendors' list prices. */
export function importNewApi({ others, ...read }: NewApiSource, kept: KeptPrices, now: Date): Imported {
  const account = new Account();
  const root = account.root('', { ...read, ...others }, { skipsEmpty: true });
  for (const [table, count] of Object.entries(others)) {
    const rows = count === 1 ? '1 row' : `${count} rows`;
    root.get(table).lose(`${rows}: ${reasonOf(table) ?? 'The importer does not know this table.'}`);
  }
  const providers = new ProvidersDraft('NEW_API');
  const channels = channelsOf(root.get('channels').mapping(), providers);
  const models = modelsOf(channels);
  const options = root.get('options');
  const quotaOfDollar = options.get('QuotaPerUnit').number() || usualQuota;
  const prices = pricesOf(options, new Set(models.map(({ name }) => name)), quotaOfDollar);
  for (const model of models) {
    const price = prices.get(model.name);
    if (price) model.price = price;
  }
  const groups = groupsOf(channels);
  noteMixedGroups(channels);
  const users = usersOf(root.get('users').mapping(), quotaOfDollar);
  const tokens = tokensOf(root.get('tokens').mapping(), {
    ...{ users, quotaOfDollar, now },
    modelsOf: group => {
      const served = groups.get(group) ?? [];
      return served.length === models.length ? undefined : served;
    },
  });
  const catalog: CatalogDraft = {
    ...{ providers: providers.list, models },
    projects: projectsOf(
      tokens.map(({ wanted }) => wanted.project ?? 'default'),
      options.get('GroupRatio'),
      prices,
    ),
    users: [...users.values()].map(({ user }) => user),
  };
  const origins = new Map(
    channels.flatMap(({ row, models }) => models.map(({ name }) => [name, row] as const)),
  );
  const refused = remarksOf(removeRefused(catalog), name => origins.get(name)?.get('models'));
  noteUnpriced(channels, catalog, kept);
  return {
    ...{ catalog, tokens, secrets: providers.secrets },
    comments: commentsOf(catalog, providers),
    remarks: [...account.close(reasonOf), ...refused],
  };
}

/** Returns the models that each group of channels serves. */
function groupsOf(channels: readonly Channel[]): Map<string, string[]> {
  const pairs = channels.flatMap(({ groups, models }) =>
    groups.flatMap(group => models.map(({ name }) => ({ group, name }))),
  );
  const byGroup = Map.groupBy(pairs, ({ group }) => group);
  return new Map(
    [...byGroup].map(([group, members]) => [group, [...new Set(members.map(({ name }) => name))]]),
  );
}

/** Reports channels of a model that serve different groups: the gateway lets every token of the model use all of them. */
function noteMixedGroups(channels: readonly Channel[]): void {
  const serving = channels.flatMap(channel => channel.models.map(({ name }) => ({ channel, name })));
  for (const [name, members] of Map.groupBy(serving, each => each.name)) {
    const sets = new Set(members.map(({ channel }) => channel.groups.toSorted().join(',')));
    if (sets.size === 1) continue;
    for (const { channel } of members)
      channel.row
        .get('group')
        .change(
          `Channels of different groups serve ${name}. In the gateway every token that may use the model uses all of them.`,
        );
  }
}

/** Returns the projects, one for each group of tokens. A ratio of the group becomes prices of its project. */
function projectsOf(
  names: readonly string[],
  ratios: Part,
  prices: ReturnType<typeof pricesOf>,
): ProjectDraft[] {
  return [...new Set(names)].map(name => {
    const field = ratios.get(name);
    const ratio = field.number() ?? 1;
    if (ratio === 1 || ratio < 0) return { name };
    field.change(
      'The prices of the project are multiplied by it. Models without a price in the database keep theirs.',
    );
    const own = [...prices].map(([model, price]) => [model, timesRatio(price, ratio)] as const);
    return { name, ...(own.length > 0 && { prices: Object.fromEntries(own) }) };
  });
}

function commentsOf(catalog: CatalogDraft, providers: ProvidersDraft): Map<string, string> {
  return new Map(
    catalog.providers.map(({ name }, at) => [
      `providers.${at}`,
      (providers.origins.get(name) ?? []).join(', '),
    ]),
  );
}
