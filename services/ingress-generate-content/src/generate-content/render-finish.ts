import { type Ending, type FinishReason, noUsage, type Usage } from '@model-gateway/canonical';
import {
  type GenerateContentCandidate,
  type GenerateContentFinishReason,
  type GenerateContentUsage,
  generateContentFinishReasons,
} from '@model-gateway/wire';

const reasons: Record<FinishReason, GenerateContentFinishReason> = {
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

export type Finish = Required<Pick<GenerateContentCandidate, 'finishReason'>> &
  Pick<GenerateContentCandidate, 'finishMessage'>;

/** Why a candidate ended; `refusal` is what the model said in place of an answer, which is no answer in this format. */
export function renderFinish({ reason, raw, explanation }: Ending, refusal: string): Finish {
  const own = generateContentFinishReasons.find(name => name === raw) ?? reasons[reason];
  const finishReason = refusal && own === 'STOP' ? 'SAFETY' : own;
  const message = refusal || explanation;
  return { finishReason, ...(message && finishReason !== 'STOP' && { finishMessage: message }) };
}

/** Token counts, every integer of them: cached ones are part of the prompt, thoughts are not part of the candidates. */
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
