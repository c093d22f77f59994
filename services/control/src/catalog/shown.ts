import { isDeepStrictEqual } from 'node:util';
import { durationText } from '@model-gateway/canonical';
import {
  type Discovery,
  entryDefaults,
  type Model,
  mapPassword,
  type StoredProvider,
  type StoredSecret,
} from '@model-gateway/catalog';

/** Stands for a stored secret. In a request it keeps the secret. */
export const isSet = { set: true } as const;

/** Returns a provider as in gateway.yaml, with marks in place of its secrets. */
export function showProvider(stored: StoredProvider) {
  const { apiKey, apiKeys, headers, models, proxy, ...provider } = stored;
  return {
    ...provider,
    ...(models && { models: showDiscovery(models) }),
    ...(apiKey && { apiKey: showSecret(apiKey) }),
    ...(apiKeys && { apiKeys: apiKeys.map(each => ({ ...each, key: showSecret(each.key) })) }),
    ...(proxy && { proxy: mapPassword(proxy, showSecret) }),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, showSecret(value)])),
  };
}

function showSecret(secret: StoredSecret) {
  return 'sealed' in secret ? isSet : secret;
}

function showDiscovery({ every, ...models }: Discovery) {
  return { ...models, ...(every !== undefined && { every: durationText(every) }) };
}

/** Returns a model as in gateway.yaml: durations are texts. */
export function showModel({ hedgeAfter, timeouts, ...model }: Model) {
  const { firstToken, idle, total } = timeouts;
  return {
    ...model,
    ...(hedgeAfter !== undefined && { hedgeAfter: durationText(hedgeAfter) }),
    timeouts: {
      ...(firstToken !== undefined && { firstToken: durationText(firstToken) }),
      ...(idle !== undefined && { idle: durationText(idle) }),
      total: durationText(total),
    },
  };
}

/** Leaves out the fields of a provider or a model that have their default values. */
export function withoutDefaults<Entry extends object>(entry: Entry): Entry {
  const fields = Object.entries(entry).filter(
    ([field, value]) => !isDeepStrictEqual(value, (entryDefaults as Record<string, unknown>)[field]),
  );
  return Object.fromEntries(fields) as Entry;
}
