import { type DiscoveredList, readLists } from '../catalog/entries.ts';
import type { Database } from '../database/database.ts';
import type { Followed } from '../health/target-states.ts';
import { type KeyState, keyStates, targetStates } from '../health/target-states.ts';
import { type Check, failed, ok, type Result, warning } from './check.ts';
import type { FleetProcess } from './fleet.ts';

export interface ProviderChecks {
  processes(): Promise<FleetProcess[]>;
  /** The catalog with the rests of its targets; undefined while it may be out of date. */
  followed(): Followed | undefined;
  db: Database;
}

/** The checks of providers: their credentials in the workers, and what their answers to requests have shown. */
export function providerChecks({ processes, followed, db }: ProviderChecks): Check[] {
  return [
    {
      name: 'credentials',
      advice: 'Control asks workers over NATS: see the check nats.',
      run: async () => checkCredentials(await processes()),
    },
    {
      name: 'providers',
      advice: 'Control reads the catalog and the health of targets from NATS: see the check nats.',
      run: async () => checkProviders(followed()),
    },
    {
      name: 'discovery',
      advice: 'Control keeps the lists of models in its database: see the check database.',
      run: async () => checkDiscovery(await readLists(db)),
    },
  ];
}

/** Finds providers whose API key a worker of their pool does not have. */
function checkCredentials(processes: FleetProcess[]): Result[] {
  const lacking = new Map<string, string[]>();
  const workers = processes.filter(({ service, facts }) => service === 'worker' || 'withoutKey' in facts);
  for (const { host, pid, facts } of workers)
    for (const text of textsOf(facts.withoutKey)) {
      const places = lacking.get(text) ?? [];
      lacking.set(text, [...places, `${host} (${pid})`]);
    }
  if (workers.length === 0) return [];
  if (lacking.size === 0) return [ok('the workers have the API keys of their providers')];
  return [...lacking].map(([text, places]) =>
    failed(
      `${text} in ${places.length} of ${workers.length} workers: ${places.slice(0, 5).join(', ')}`,
      'Set it where the workers run and start them again, or remove the provider from the catalog.',
    ),
  );
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : [];
}

function checkProviders(followed: Followed | undefined): Result[] {
  if (!followed) throw new Error('the catalog and the health of targets are not known');
  const providers = followed.catalog.providers();
  if (providers.length === 0)
    return [
      warning(
        'the catalog has no provider',
        'Write a gateway.yaml and set GATEWAY_CONFIG: docs/configuration.md.',
      ),
    ];
  const keys = keyStates(followed).flatMap(key => checkKey(key));
  const targets = followed.catalog
    .allModels()
    .flatMap(model =>
      targetStates(followed, model).flatMap(({ provider, model: name, rest }) =>
        rest && rest.model !== undefined
          ? [
              warning(
                `${name} of ${provider} rests since ${timeOf(rest.since)}: ${rest.reason} (${rest.error})`,
                'Its requests go to the other targets of its model. See gateway request list, and the log of the workers.',
              ),
            ]
          : [],
      ),
    );
  const found = [...keys, ...new Map(targets.map(each => [each.found, each])).values()];
  return found.length > 0 ? found : [ok('no provider and no target rests')];
}

/** Finds providers whose models could not be listed. */
function checkDiscovery(lists: readonly DiscoveredList[]): Result[] {
  if (lists.length === 0) return [];
  const failures = lists.flatMap(({ provider, models, refreshedAt, error }) => {
    if (error === null) return [];
    const kept = refreshedAt
      ? `the ${models} models of ${refreshedAt.toISOString()} stay`
      : 'it has no models yet';
    return [
      warning(
        `the models of ${provider} could not be listed: ${error} ${kept}`,
        'Correct its address or its API key, or state its models and remove models: discover.',
      ),
    ];
  });
  return failures.length > 0 ? failures : [ok('the providers list their models')];
}

function checkKey({ provider, key, rest }: KeyState): Result[] {
  if (!rest) return [];
  if (rest.reason === 'refused-key')
    return [
      failed(
        `${provider} has refused its API key${key === undefined || key === 'default' ? '' : ` ${key}`} since ${timeOf(rest.since)}`,
        'Correct the key: it may have been revoked, or belong to another account. The workers read it again within 30 s.',
      ),
    ];
  return [
    warning(
      `${provider} rests since ${timeOf(rest.since)}: ${rest.reason} (${rest.error})`,
      'Look at the status of the provider, and at its quota.',
    ),
  ];
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
