import { noUsage, type Usage } from '@model-gateway/canonical';
import type { GenerateContentUpstreamUsage, GenerateContentUsage } from './answer.ts';

/**
 * Converts token counts. Results of tools that the vendor ran count as input. Reasoning counts as output: the
 * upstream's candidate count does not include it.
 */
export function readUsage(raw: GenerateContentUpstreamUsage, webSearches = 0): Usage {
  const reasoning = raw.thoughtsTokenCount ?? 0;
  const input = (raw.promptTokenCount ?? 0) + (raw.toolUsePromptTokenCount ?? 0);
  return {
    ...noUsage,
    input,
    cachedInput: raw.cachedContentTokenCount ?? 0,
    audioInput: tokensOf('AUDIO', raw.promptTokensDetails),
    imageInput: tokensOf('IMAGE', raw.promptTokensDetails),
    output: raw.candidatesTokenCount ? raw.candidatesTokenCount + reasoning : beyond(raw, input, reasoning),
    reasoning,
    audioOutput: tokensOf('AUDIO', raw.candidatesTokensDetails),
    ...(webSearches > 0 && { units: { webSearches } }),
    raw,
  };
}

/** Returns the output by the total, for an upstream that leaves out the count of the candidates. */
function beyond(
  { totalTokenCount: total }: GenerateContentUpstreamUsage,
  input: number,
  reasoning: number,
): number {
  return input > 0 ? Math.max(reasoning, (total ?? 0) - input) : reasoning;
}

function tokensOf(modality: string, details: GenerateContentUpstreamUsage['promptTokensDetails']): number {
  const counts = (details ?? []).map(detail => (detail.modality === modality ? (detail.tokenCount ?? 0) : 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Renders all token counts. The prompt includes cached tokens; candidates exclude thoughts. */
export function renderUsage(usage: Usage | null): GenerateContentUsage {
  const { input, cachedInput, audioInput, imageInput, output, reasoning } = usage ?? noUsage;
  const details = [
    { modality: 'TEXT', tokenCount: input - audioInput - imageInput },
    { modality: 'IMAGE', tokenCount: imageInput },
    { modality: 'AUDIO', tokenCount: audioInput },
  ];
  return {
    promptTokenCount: input,
    cachedContentTokenCount: cachedInput,
    candidatesTokenCount: Math.max(0, output - reasoning),
    thoughtsTokenCount: reasoning,
    toolUsePromptTokenCount: 0,
    totalTokenCount: input + output,
    ...(audioInput + imageInput > 0 && {
      promptTokensDetails: details.filter(({ tokenCount }) => tokenCount > 0),
    }),
  };
}
