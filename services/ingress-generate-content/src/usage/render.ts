import { noUsage, type Usage } from '@model-gateway/canonical';
import type { GoogleUsage } from '@model-gateway/wire';

/** Token counts, every integer of them: cached ones are part of the prompt, thoughts are not part of the candidates. */
export function renderUsage(usage: Usage | null): GoogleUsage {
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
