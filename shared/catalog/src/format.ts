import type { WireFormat } from '@model-gateway/canonical';
import type { Api, Provider, ProviderKind } from './schema.ts';

type Formats = readonly [WireFormat, ...WireFormat[]];

/** What each kind speaks where the provider does not say. */
const formats: Record<ProviderKind, Formats> = {
  openai: ['chat', 'responses'],
  'openai-compatible': ['chat'],
  ollama: ['chat'],
  anthropic: ['messages'],
  gemini: ['generate-content'],
};

/** The wire formats in which a provider can be asked to generate; in the first of them where a client speaks none. */
export function providerFormats({ kind, api }: Pick<Provider, 'kind' | 'api'>): Formats {
  if (api === undefined) return formats[kind];
  return typeof api === 'string' ? [api] : (api as [Api, ...Api[]]);
}

/** The format in which a provider is asked what a client says in another, its own if it can be. */
export function formatFor(provider: Pick<Provider, 'kind' | 'api'>, client: WireFormat): WireFormat {
  const spoken = providerFormats(provider);
  return spoken.includes(client) ? client : spoken[0];
}
