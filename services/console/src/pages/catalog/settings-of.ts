import type { ModelInfo, ModelSettings, ProviderInfo, ProviderSettings } from '@model-gateway/admin-api';

/** Returns what a model sets, as gateway.yaml has it: without what is not set, or is the default. */
export function settingsOfModel(model: ModelInfo): ModelSettings {
  const { managedBy, place, problems, createdAt, operations, ...settings } = model;
  return withoutEmpty({
    ...settings,
    timeouts: settings.timeouts.total === '30m' ? withoutTotal(model) : settings.timeouts,
  });
}

/** Returns what a provider sets, as gateway.yaml has it. Secrets are shown as `{ set: true }`, which keeps them in a PUT. */
export function settingsOfProvider(provider: ProviderInfo): ProviderSettings {
  const { managedBy, place, problems, createdAt, discovered, ...settings } = provider;
  return withoutEmpty({ ...settings, pool: settings.pool === 'default' ? null : settings.pool });
}

function withoutTotal({ timeouts: { total, ...rest } }: ModelInfo): object {
  return rest;
}

/** Leaves out fields that are null, or hold nothing. */
function withoutEmpty<Settings extends object>(settings: object): Settings {
  return Object.fromEntries(
    Object.entries(settings).filter(
      ([, value]) => value !== null && !(typeof value === 'object' && Object.keys(value).length === 0),
    ),
  ) as Settings;
}
