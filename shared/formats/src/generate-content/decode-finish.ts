import { type Ending, noUsage, type Usage } from '@model-gateway/canonical';
import { finishReason, throwIfFailed } from '../upstream/finish-reason.ts';
import type { GenerateContentUpstreamAnswer, GenerateContentUpstreamUsage } from './upstream-answer.ts';

/** The default value, which some upstreams send explicitly. It does not end the candidate, nor block the prompt. */
const unspecified = /^(?:FINISH|BLOCK|BLOCKED)_REASON_UNSPECIFIED$/;

/** Tracks which candidates have begun and ended, over all chunks of a response. */
export class Endings {
  readonly #begun = new Set<number>();
  /** Candidates that called a function: the format has no finish reason for that. */
  readonly #called = new Set<number>();
  readonly #ends = new Map<number, Ending>();
  #blocked: Ending | undefined;

  /** @throws GatewayError for a candidate that failed */
  note({ candidates, promptFeedback }: GenerateContentUpstreamAnswer): void {
    for (const { index, content, finishReason: raw, finishMessage } of candidates ?? []) {
      const number = index ?? 0;
      this.#begun.add(number);
      if (content?.parts?.some(({ functionCall }) => functionCall)) this.#called.add(number);
      if (!raw || unspecified.test(raw)) continue;
      throwIfFailed(raw);
      this.#ends.set(number, ending(raw, finishMessage));
    }
    const { blockReason: raw, blockReasonMessage: explanation } = promptFeedback ?? {};
    if (raw && !unspecified.test(raw))
      this.#blocked = { reason: 'content-filter', raw, ...(explanation && { explanation }) };
  }

  /** True if every candidate has ended and there are as many as expected, or if the prompt is blocked, at the start or later. */
  isComplete(expected: number): boolean {
    if (this.#blocked) return true;
    return this.#begun.size > 0 && this.#ends.size === this.#begun.size && this.#ends.size >= expected;
  }

  /** Returns how a candidate ended. A normal stop with calls becomes `tool-calls`. */
  of(candidate: number): Ending {
    const end = this.#ends.get(candidate) ?? this.#blocked ?? { reason: 'stop', raw: null };
    return end.reason === 'stop' && this.#called.has(candidate) ? { ...end, reason: 'tool-calls' } : end;
  }
}

function ending(raw: string, message: string | null | undefined): Ending {
  const reason = finishReason(raw);
  return { reason, raw, ...(reason === 'content-filter' && message && { explanation: message }) };
}

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
