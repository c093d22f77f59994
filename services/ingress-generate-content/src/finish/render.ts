import type { Ending, FinishReason } from '@model-gateway/canonical';
import { type GoogleCandidate, type GoogleFinishReason, googleFinishReasons } from '@model-gateway/wire';

const reasons: Record<FinishReason, GoogleFinishReason> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  length: 'MAX_TOKENS',
  // Calls have no reason of their own.
  'tool-calls': 'STOP',
  'content-filter': 'SAFETY',
  refusal: 'SAFETY',
  pause: 'OTHER',
  other: 'OTHER',
};

export type Finish = Required<Pick<GoogleCandidate, 'finishReason'>> & Pick<GoogleCandidate, 'finishMessage'>;

/** Why a candidate ended; `refusal` is what the model said in place of an answer, which is no answer in this format. */
export function renderFinish({ reason, raw, explanation }: Ending, refusal: string): Finish {
  const own = googleFinishReasons.find(name => name === raw) ?? reasons[reason];
  const finishReason = refusal && own === 'STOP' ? 'SAFETY' : own;
  const message = refusal || explanation;
  return { finishReason, ...(message && finishReason !== 'STOP' && { finishMessage: message }) };
}
