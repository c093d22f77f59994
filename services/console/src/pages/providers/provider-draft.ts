import type { ProviderInfo, ProviderSettings } from '@model-gateway/admin-api';

/** The source of a provider's API key; `stored` keeps the one that the gateway has, and `several` all that it has. */
export type KeySource = 'none' | 'several' | 'stored' | 'value' | 'env' | 'file';

/** A header in a form; `stored` keeps the value that the gateway has. */
export interface HeaderDraft {
  key: string;
  name: string;
  value: string;
  stored: boolean;
  /** The key that the gateway has, if it is kept: a mark in place of a secret, or a reference. */
  kept?: ProviderInfo['headers'][string];
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
  /** Its several API keys, which the form keeps as they are. */
  apiKeys: NonNullable<ProviderSettings['apiKeys']>;
  /** Its proxy and its certificates, which the form keeps as they are. */
  way: Pick<ProviderSettings, 'proxy' | 'tls'>;
  /** The settings that only its kind has: a line `name=value` each. */
  options: string;
  /** True if its models are discovered. The patterns have a comma between two of them. */
  discovers: boolean;
  prefix: string;
  include: string;
  exclude: string;
  /** A duration; empty for the default. */
  every: string;
}

export const newProvider: ProviderDraft = {
  apiKeys: [],
  way: {},
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
  ...{ discovers: false, prefix: '', include: '', exclude: '', every: '' },
};

/** Returns the form's values for a provider. */
export function draftOfProvider(provider: ProviderInfo): ProviderDraft {
  const { name, kind, baseUrl, headers, api, batch, pool, streams, prefill, options } = provider;
  return {
    ...{ name, kind, baseUrl: baseUrl ?? '', batch: batch ?? '' },
    ...keyOf(provider),
    apiKeys: provider.apiKeys ?? [],
    way: {
      ...(provider.proxy !== null && { proxy: provider.proxy }),
      ...(provider.tls !== null && { tls: provider.tls }),
    },
    headers: Object.entries(headers).map(([header, value]) => ({
      ...{ key: header, name: header, value: '', stored: true, kept: value },
    })),
    api: api === null ? [] : [api].flat(),
    pool: pool === 'default' ? '' : pool,
    streams: streams ?? '',
    prefill: prefill === null ? '' : prefill ? 'yes' : 'no',
    options: Object.entries(options)
      .map(([option, value]) => `${option}=${value}`)
      .join('\n'),
    ...discoveryDraft(provider.models),
  };
}

function keyOf({ apiKey, apiKeys }: ProviderInfo): Pick<ProviderDraft, 'keySource' | 'keyText'> {
  if (apiKeys !== null) return { keySource: 'several', keyText: '' };
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
    ...(draft.keySource === 'several' && { apiKeys: draft.apiKeys }),
    ...(named.length > 0 && {
      headers: Object.fromEntries(
        named.map(({ name, value, stored, kept }) => [
          name.trim(),
          stored ? (kept ?? { set: true as const }) : value,
        ]),
      ),
    }),
    ...(api.length > 0 && { api: api as NonNullable<ProviderSettings['api']> }),
    ...(batch !== '' && { batch }),
    ...(pool.trim() && { pool: pool.trim() }),
    ...(streams && { streams }),
    ...(prefill && { prefill: prefill === 'yes' }),
    ...draft.way,
    ...(draft.options.trim() && { options: optionsOf(draft.options) }),
    ...(draft.discovers && { models: discoveryOf(draft) }),
  };
}

function discoveryDraft(models: ProviderInfo['models']) {
  const { include = [], exclude = [], prefix = '', every = '' } = models ?? {};
  return {
    discovers: models !== null,
    ...{ prefix, every, include: include.join(', '), exclude: exclude.join(', ') },
  };
}

function discoveryOf({ prefix, include, exclude, every }: ProviderDraft): ProviderSettings['models'] {
  const [included, excluded] = [patternsOf(include), patternsOf(exclude)];
  return {
    discover: true,
    ...(included.length > 0 && { include: included }),
    ...(excluded.length > 0 && { exclude: excluded }),
    ...(prefix && { prefix }),
    ...(every.trim() && { every: every.trim() }),
  };
}

function patternsOf(text: string): string[] {
  return text
    .split(',')
    .map(pattern => pattern.trim())
    .filter(pattern => pattern !== '');
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
    case 'several':
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
