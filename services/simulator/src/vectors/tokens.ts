import { charactersAToken } from '../mind/usage.ts';

/** How many tokens a text has; none has none. */
export function tokensIn(text: string): number {
  return Math.max(1, Math.ceil(text.length / charactersAToken));
}

export function tokensInAll(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + tokensIn(text), 0);
}
