import type { CompletionPrompt } from '@model-gateway/wire';

/** Stand for tokens that come as numbers: four characters, for so many are a token. */
const words = [
  ' the',
  ' and',
  ' for',
  ' you',
  ' are',
  ' not',
  ' but',
  ' all',
  ' can',
  ' one',
  ' our',
  ' out',
];

/** The prompts of a request as text, each of which is answered on its own. */
export function promptsOf(prompt: CompletionPrompt): [string, ...string[]] {
  if (typeof prompt === 'string') return [prompt];
  const [first, ...rest] = prompt;
  if (typeof first === 'number') return [textOf(prompt as number[])];
  const text = (one: string | number | number[] | undefined) =>
    Array.isArray(one) ? textOf(one) : String(one ?? '');
  return [text(first), ...rest.map(text)];
}

function textOf(tokens: readonly number[]): string {
  return tokens.map(token => words[token % words.length]).join('');
}
