import { noUsage, type Usage } from '@model-gateway/canonical';

/** How many characters of ordinary text make a token, on average. */
const charactersPerToken = 4;
/** A text as long as this without a space is an encoded medium, whose length says little. */
const mediumLength = 2_000;

/** What an answer that was broken off has used, where the upstream did not say: a guess from the texts' lengths. */
export function estimateUsage(request: unknown, answerCharacters: number): Usage {
  return {
    ...noUsage,
    input: tokens(charactersOf(request)),
    output: tokens(answerCharacters),
  };
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
  // A text that the client has tokenised.
  if (Array.isArray(value) && typeof value[0] === 'number') return value.length * charactersPerToken;
  return Object.values(value).reduce((sum: number, each) => sum + charactersOf(each), 0);
}
