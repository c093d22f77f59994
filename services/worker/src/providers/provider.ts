import type { WireFormat } from '@model-gateway/canonical';

/** What all providers of a kind have in common. */
export interface ProviderKindProfile {
  /** Where the vendor serves its API, as its own SDK has it; undefined where each has its own. */
  baseUrl: string | undefined;
  /** It is the vendor whose format it speaks, and knows the newest of it. */
  original?: boolean;
  /** What stands between the base URL and the paths of a format. */
  paths?: Partial<Record<WireFormat, string>>;
  /** How it is shown the credential. */
  credential(apiKey: string): Record<string, string>;
}

export function bearer(apiKey: string): Record<string, string> {
  return { authorization: `Bearer ${apiKey}` };
}
