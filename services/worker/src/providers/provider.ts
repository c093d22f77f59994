import type { Provider } from '@model-gateway/catalog';
import type { DialectName } from '../dialects/index.ts';

/** What all providers of a kind have in common. */
export interface ProviderKindProfile {
  /** Where the vendor serves its API, as its own SDK has it; undefined where each has its own. */
  baseUrl: string | undefined;
  /** What it speaks when it generates. */
  dialect(provider: Pick<Provider, 'api'>): DialectName;
  /** It is the vendor whose format it speaks, and knows the newest of it. */
  original?: boolean;
  /** How it is shown the credential. */
  credential(apiKey: string): Record<string, string>;
}

/** The dialect of an OpenAI-style kind: chat, unless the provider says otherwise. */
export function openaiDialect({ api }: Pick<Provider, 'api'>): DialectName {
  return api === 'responses' ? 'openai-responses' : 'openai-chat';
}

export function bearer(apiKey: string): Record<string, string> {
  return { authorization: `Bearer ${apiKey}` };
}
