import { estimateInput } from './estimate-input.ts';
import { noUsage, type Usage } from './usage.ts';

/** Average characters per token of ordinary text. */
const charactersPerToken = 4;

/** The places of media in a canonical request. */
export const canonicalMedia: readonly string[] = [
  'messages.*.content.*',
  'messages.*.content.*.content.*',
].flatMap(part => [`${part}.source.data`, `${part}.source.url`]);

/**
 * Estimates the usage of an answer that an upstream has not completed. `request` is any JSON value, with media at the places `media`. Of
 * `reported`, only the output is replaced.
 */
export function estimateUsage(
  request: unknown,
  media: readonly string[],
  answerCharacters: number,
  reported: Usage | null,
): Usage {
  const output = Math.ceil(answerCharacters / charactersPerToken);
  return reported ? { ...reported, output } : { ...noUsage, input: estimateInput(request, media), output };
}
