import { noUsage, type Usage } from '@model-gateway/canonical';
import type { GoogleUpstreamUsage } from '@model-gateway/wire';

/**
 * What the tools that the vendor ran gave to the model is input, too; what the model thought is no part of the
 * candidates upstream.
 */
export function readUsage(raw: GoogleUpstreamUsage): Usage {
  const reasoning = raw.thoughtsTokenCount ?? 0;
  return {
    ...noUsage,
    input: (raw.promptTokenCount ?? 0) + (raw.toolUsePromptTokenCount ?? 0),
    cachedInput: raw.cachedContentTokenCount ?? 0,
    audioInput: tokensOf('AUDIO', raw.promptTokensDetails),
    imageInput: tokensOf('IMAGE', raw.promptTokensDetails),
    output: (raw.candidatesTokenCount ?? 0) + reasoning,
    reasoning,
    audioOutput: tokensOf('AUDIO', raw.candidatesTokensDetails),
    raw,
  };
}

function tokensOf(modality: string, details: GoogleUpstreamUsage['promptTokensDetails']): number {
  const counts = (details ?? []).map(detail => (detail.modality === modality ? (detail.tokenCount ?? 0) : 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Later counters are sums so far, so they replace earlier ones; those that are left out tell nothing. */
export function laterUsage(
  earlier: GoogleUpstreamUsage | undefined,
  later: GoogleUpstreamUsage,
): GoogleUpstreamUsage {
  const sum = { ...earlier, ...later };
  // `null` is rare, and this is done for every chunk.
  for (const name of Object.keys(later)) if (later[name] === null) sum[name] = earlier?.[name];
  return sum;
}
