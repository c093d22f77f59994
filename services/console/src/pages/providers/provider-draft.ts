import type { ProviderInfo, ProviderSettings } from '@model-gateway/admin-api';
import { draftOfKeys, type KeysDraft, keysOfDraft } from './keys-draft.ts';
import { draftOfSecret, type SecretDraft, secretOfDraft } from './secret-draft.ts';
import { draftOfWay, newWay, type WayDraft, wayOfDraft } from './way-draft.ts';

/** A header in a form. */
export interface HeaderDraft {
  key: string;
  name: string;
  secret: SecretDraft;
}

/** A provider as it is typed. An empty text is not set. */
export interface ProviderDraft extends KeysDraft, WayDraft {
  name: string;
  kind: string;
  baseUrl: string;
  headers: HeaderDraft[];
  api: string[];
  batch: number | '';
  pool: string;
  streams: NonNullable<ProviderSettings['streams']> | '';
  /** Empty for the kind's own. */
  prefill: 'yes' | 'no' | '';
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
  ...newWay,
  name: '',
  kind: 'openai-compatible',
  baseUrl: '',
  keyCount: 'none',
  keys: [],
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
    ...draftOfKeys(provider),
    ...draftOfWay(provider),
    headers: Object.entries(headers).map(([header, value]) => ({
      ...{ key: header, name: header, secret: draftOfSecret(value) },
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

/** Returns the settings that a form has, without the name. A header without a name is left out. */
export function settingsOfDraft(draft: ProviderDraft): ProviderSettings {
  const { kind, baseUrl, headers, api, batch, pool, streams, prefill } = draft;
  const named = headers.filter(({ name }) => name.trim() !== '');
  return {
    kind,
    ...(baseUrl.trim() && { baseUrl: baseUrl.trim() }),
    ...keysOfDraft(draft),
    ...(named.length > 0 && {
      headers: Object.fromEntries(named.map(({ name, secret }) => [name.trim(), headerValue(secret)])),
    }),
    ...(api.length > 0 && { api: api as NonNullable<ProviderSettings['api']> }),
    ...(batch !== '' && { batch }),
    ...(pool.trim() && { pool: pool.trim() }),
    ...(streams && { streams }),
    ...(prefill && { prefill: prefill === 'yes' }),
    ...wayOfDraft(draft),
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

/** The value of a header is a text where a secret has one in an object. */
function headerValue(secret: SecretDraft) {
  const sent = secretOfDraft(secret) ?? { value: '' };
  return 'value' in sent ? sent.value : sent;
}
