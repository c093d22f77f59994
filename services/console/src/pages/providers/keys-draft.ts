import type { ProviderInfo, ProviderSettings } from '@model-gateway/admin-api';
import { draftOfSecret, newSecret, type SecretDraft, secretOfDraft } from './secret-draft.ts';

/** An API key as it is typed. */
export interface KeyDraft {
  key: string;
  /** If empty, the gateway names the key by its position, from 1. */
  name: string;
  weight: number | '';
  secret: SecretDraft;
  /** The name of the stored key whose secret is kept. */
  kept: string;
}

/** The API keys of a provider as they are typed. Of `one`, the keys after the first are not sent. */
export interface KeysDraft {
  keyCount: 'none' | 'one' | 'several';
  keys: KeyDraft[];
}

export function newKey(key: string): KeyDraft {
  return { ...{ key, name: '', weight: '', secret: newSecret, kept: '' } };
}

/** Returns the form's values for the API keys of a provider. */
export function draftOfKeys({ apiKey, apiKeys }: Pick<ProviderInfo, 'apiKey' | 'apiKeys'>): KeysDraft {
  const shown = apiKeys ?? (apiKey ? [{ key: apiKey }] : []);
  return {
    keyCount: apiKeys ? 'several' : apiKey ? 'one' : 'none',
    keys: shown.map(
      ({ key, name, weight }: (typeof shown)[number] & { name?: string; weight?: number }, at) => {
        const kept = name ?? String(at + 1);
        return { key: kept, name: name ?? '', weight: weight ?? '', secret: draftOfSecret(key), kept };
      },
    ),
  };
}

/** Returns the settings of the API keys that a form has. */
export function keysOfDraft({ keyCount, keys }: KeysDraft): Pick<ProviderSettings, 'apiKey' | 'apiKeys'> {
  const [only] = keys;
  if (keyCount === 'several') return { apiKeys: keys.map(severalKey) };
  return keyCount === 'one' && only ? { apiKey: secretOf(only, '1') } : {};
}

function severalKey(draft: KeyDraft, at: number) {
  const name = draft.name.trim();
  return {
    key: secretOf(draft, name || String(at + 1)),
    ...(name && { name }),
    ...(draft.weight !== '' && { weight: draft.weight }),
  };
}

/** A key keeps the stored secret of its own name, unless it says whose it keeps. */
function secretOf({ secret, kept }: KeyDraft, name: string) {
  const sent = secretOfDraft(secret) ?? { value: '' };
  return 'set' in sent && kept !== name ? { ...sent, from: kept } : sent;
}
