import type { ProviderInfo, ProviderSettings } from '@model-gateway/admin-api';

/** Where the API key of a provider comes from; `stored` keeps the one that the gateway has. */
export type KeySource = 'none' | 'stored' | 'value' | 'env' | 'file';

/** A header in a form; `stored` keeps the value that the gateway has. */
export interface HeaderDraft {
  key: string;
  name: string;
  value: string;
  stored: boolean;
}

/** A provider as it is typed. An empty text is not set. */
export interface ProviderDraft {
  name: string;
  kind: string;
  baseUrl: string;
  keySource: KeySource;
  /** The secret, the name of the variable, or the path of the file. */
  keyText: string;
  headers: HeaderDraft[];
  api: string[];
  batch: number | '';
  pool: string;
  streams: NonNullable<ProviderSettings['streams']> | '';
  /** Empty for the kind's own. */
  prefill: 'yes' | 'no' | '';
  /** The settings that only its kind has: a line `name=value` each. */
  options: string;
}

export const newProvider: ProviderDraft = {
  name: '',
  kind: 'openai-compatible',
  baseUrl: '',
  keySource: 'none',
  keyText: '',
  headers: [],
  api: [],
  batch: '',
  pool: '',
  streams: '',
  prefill: '',
  options: '',
};

/** Returns the form's values for a provider. */
export function draftOfProvider(provider: ProviderInfo): ProviderDraft {
  const { name, kind, baseUrl, headers, api, batch, pool, streams, prefill, options } = provider;
  return {
    ...{ name, kind, baseUrl: baseUrl ?? '', batch: batch ?? '' },
    ...keyOf(provider),
    headers: Object.keys(headers).map(header => ({ key: header, name: header, value: '', stored: true })),
    api: api === null ? [] : [api].flat(),
    pool: pool === 'default' ? '' : pool,
    streams: streams ?? '',
    prefill: prefill === null ? '' : prefill ? 'yes' : 'no',
    options: Object.entries(options)
      .map(([option, value]) => `${option}=${value}`)
      .join('\n'),
  };
}

function keyOf({ apiKey }: ProviderInfo): Pick<ProviderDraft, 'keySource' | 'keyText'> {
  if (apiKey === null) return { keySource: 'none', keyText: '' };
  if ('env' in apiKey) return { keySource: 'env', keyText: apiKey.env };
  if ('file' in apiKey) return { keySource: 'file', keyText: apiKey.file };
  return { keySource: 'stored', keyText: '' };
}

/** Returns the settings that a form has, without the name. A header without a name is left out. */
export function settingsOfDraft(draft: ProviderDraft): ProviderSettings {
  const { kind, baseUrl, headers, api, batch, pool, streams, prefill } = draft;
  const apiKey = apiKeyOf(draft);
  const named = headers.filter(({ name }) => name.trim() !== '');
  return {
    kind,
    ...(baseUrl.trim() && { baseUrl: baseUrl.trim() }),
    ...(apiKey && { apiKey }),
    ...(named.length > 0 && {
      headers: Object.fromEntries(
        named.map(({ name, value, stored }) => [name.trim(), stored ? { set: true as const } : value]),
      ),
    }),
    ...(api.length > 0 && { api: api as NonNullable<ProviderSettings['api']> }),
    ...(batch !== '' && { batch }),
    ...(pool.trim() && { pool: pool.trim() }),
    ...(streams && { streams }),
    ...(prefill && { prefill: prefill === 'yes' }),
    ...(draft.options.trim() && { options: optionsOf(draft.options) }),
  };
}

function optionsOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter(line => line.trim() !== '');
  return Object.fromEntries(
    lines.map(line => {
      const [option = '', ...value] = line.split('=');
      return [option.trim(), value.join('=').trim()];
    }),
  );
}

function apiKeyOf({ keySource, keyText }: ProviderDraft): ProviderSettings['apiKey'] {
  switch (keySource) {
    case 'none':
      return undefined;
    case 'stored':
      return { set: true };
    case 'value':
      return { value: keyText };
    case 'env':
      return { env: keyText.trim() };
    case 'file':
      return { file: keyText.trim() };
  }
}
