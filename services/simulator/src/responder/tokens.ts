/** A token is counted for every four characters of a prompt. */
export const charactersPerToken = 4;

/**
 * Cuts a text into what this model counts and streams as tokens: a word, or seven characters of a longer one,
 * with the space before it. That makes about four characters a token.
 */
export function tokensOf(text: string): string[] {
  return text.match(/\s*\S{1,7}|\s+/gu) ?? [];
}

/** The first stop string in a text, and its place. */
export function firstStop(text: string, stop: readonly string[]): { string: string; at: number } | null {
  const found = stop.map(string => ({ string, at: text.indexOf(string) })).filter(({ at }) => at >= 0);
  return found.reduce<(typeof found)[number] | null>(
    (one, other) => (one && one.at <= other.at ? one : other),
    null,
  );
}

/** Keeps the first `length` characters; the last token kept may be a part of one. */
export function upTo(tokens: readonly string[], length: number): string[] {
  let left = length;
  const kept: string[] = [];
  for (const token of tokens) {
    if (left <= 0) break;
    kept.push(token.slice(0, left));
    left -= token.length;
  }
  return kept;
}

/** Lengthens a text. Quotes, a backslash, a newline and characters of 2 to 4 bytes test the readers. */
const filler = [
  ' and',
  ' every',
  ' token',
  ' travels',
  ' as',
  ' "quoted"',
  ' café',
  '\n',
  ' data',
  ' 数据',
  ' a\\b',
  ' with',
  ' 🚀',
  ' <b>&',
  ' one',
  ' more,',
] as const;

/** Makes a text exactly `count` tokens long. */
export function stretched(tokens: string[], count: number): string[] {
  const kept = tokens.slice(0, count);
  for (let at = kept.length; at < count; at++) kept.push(filler[at % filler.length] as string);
  return kept;
}
