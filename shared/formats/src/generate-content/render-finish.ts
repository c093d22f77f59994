import { type Ending, type FinishReason, noUsage, type Usage } from '@model-gateway/canonical';
import {
  type GenerateContentCandidate,
  type GenerateContentFinishReason,
  type GenerateContentUsage,
  generateContentFinishReasons,
} from './answer.ts';

const reasons: Record<FinishReason, GenerateContentFinishReason> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  length: 'MAX_TOKENS',
  // The format has no separate reason for calls.
  'tool-calls': 'STOP',
  'content-filter': 'SAFETY',
  refusal: 'SAFETY',
  pause: 'OTHER',
  other: 'MAX_TOKENS',
};

export type Finish = Required<Pick<GenerateContentCandidate, 'finishReason'>> &
  Pick<GenerateContentCandidate, 'finishMessage'>;

/**
 * Renders the finish reason. `refusal` is the text of the refusals: this format has it as the finish message.
 */
export function renderFinish({ reason, raw, explanation }: Ending, refusal: string): Finish {
  const known = generateContentFinishReasons.find(name => name === raw) ?? reasons[reason];
  const finishReason = refusal && known === 'STOP' ? 'SAFETY' : known;
  const message = refusal || explanation;
  return { finishReason, ...(message && finishReason !== 'STOP' && { finishMessage: message }) };
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
