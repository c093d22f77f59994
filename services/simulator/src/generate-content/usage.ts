import type { Usage } from '../mind/usage.ts';

/** Usage as generate content counts it: cached tokens are among those of the prompt, thoughts not among those of the candidates. */
export function generateUsage({ input, cachedInput, audioInput, output, reasoning, imageOutput }: Usage) {
  const text = input - audioInput;
  return {
    promptTokenCount: input,
    ...(cachedInput > 0 && { cachedContentTokenCount: cachedInput }),
    ...(output > reasoning && { candidatesTokenCount: output - reasoning }),
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
    totalTokenCount: input + output,
    ...(imageOutput > 0 && {
      candidatesTokensDetails: [
        { modality: 'TEXT', tokenCount: output - reasoning - imageOutput },
        { modality: 'IMAGE', tokenCount: imageOutput },
      ],
    }),
    promptTokensDetails: [
      ...(text > 0 ? [{ modality: 'TEXT', tokenCount: text }] : []),
      ...(audioInput > 0 ? [{ modality: 'AUDIO', tokenCount: audioInput }] : []),
    ],
  };
}

/** The answer to a count of tokens. */
export function tokenCount(tokens: number) {
  return { totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] };
}
