import type { WireFormat } from '@model-gateway/canonical';
import type { Provider, ProviderKind } from './schema.ts';

type FormatOf = (provider: Pick<Provider, 'api'>) => WireFormat;

const openaiStyle: FormatOf = ({ api }) => (api === 'responses' ? 'responses' : 'chat');

const formats: Record<ProviderKind, FormatOf> = {
  openai: openaiStyle,
  'openai-compatible': openaiStyle,
  ollama: openaiStyle,
  anthropic: () => 'messages',
  gemini: () => 'generate-content',
};

/** The wire format in which a provider is asked to generate. */
export function providerFormat(provider: Pick<Provider, 'kind' | 'api'>): WireFormat {
  return formats[provider.kind](provider);
}
