import { noUsage, type Usage } from './usage.ts';

/** Average characters per token of ordinary text. */
const charactersPerToken = 4;
/** A text of this length without a space is encoded media, whose length says little about tokens. */
const mediumLength = 2_000;

/**
 * Estimates the usage of an answer that an upstream has not completed, by characters. `request` is any JSON value. Of
 * `reported`, only the output is replaced.
 */
export function estimateUsage(request: unknown, answerCharacters: number, reported: Usage | null): Usage {
  const output = tokens(answerCharacters);
  return reported ? { ...reported, output } : { ...noUsage, input: tokens(charactersOf(request)), output };
}

function tokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

function charactersOf(value: unknown): number {
  if (typeof value === 'string') {
    const medium = value.length > mediumLength && !value.slice(0, mediumLength).includes(' ');
    return medium ? 0 : value.length;
  }
  if (typeof value !== 'object' || value === null) return 0;
  // A text tokenised by the client: each number is a token.
  if (Array.isArray(value) && typeof value[0] === 'number') return value.length * charactersPerToken;
  return Object.values(value).reduce((sum: number, each) => sum + charactersOf(each), 0);
}
