import type { WireFormat } from '@model-gateway/canonical';

/** Properties common to all providers of a kind. */
export interface ProviderKindProfile {
  /** Default base URL, as in the vendor's SDK; undefined if each provider has its own. */
  baseUrl: string | undefined;
  /** True for the vendor of the format, which supports its newest features. */
  original?: boolean;
  /** Path between the base URL and the paths of a format. */
  paths?: Partial<Record<WireFormat, string>>;
  /** Returns the headers that carry the API key. */
  credential(apiKey: string): Record<string, string>;
}

export function bearer(apiKey: string): Record<string, string> {
  return { authorization: `Bearer ${apiKey}` };
}
