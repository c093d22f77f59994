import type { ProviderInfo, ProviderSettings } from '@model-gateway/admin-api';
import { settingsOfProvider } from '../catalog/settings-of.ts';

export type Secret = NonNullable<ProviderSettings['apiKey']>;

/** A stored secret, which the gateway keeps. */
export type StoredSecret = Extract<Secret, { set: true }>;

/** True for a stored secret, which is never shown. */
export function isStored(secret: Secret | undefined): secret is StoredSecret {
  return secret !== undefined && 'set' in secret;
}

/** Returns the settings of a provider for a form. A stored API key says whose it is, so that it is kept under another name, too. */
export function formSettings(provider: ProviderInfo): ProviderSettings {
  const settings = settingsOfProvider(provider);
  const { apiKey, apiKeys } = settings;
  return {
    ...settings,
    ...(apiKey && { apiKey: from(apiKey, '1') }),
    ...(apiKeys && {
      apiKeys: apiKeys.map((each, place) => ({
        ...each,
        key: from(each.key, each.name ?? String(place + 1)),
      })),
    }),
  };
}

function from(secret: Secret, name: string): Secret {
  return isStored(secret) ? { ...secret, from: name } : secret;
}
