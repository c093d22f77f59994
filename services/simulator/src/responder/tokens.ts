/** Every four characters of a prompt count as a token. */
export const charactersPerToken = 4;

/** Splits a text into tokens: a word, or seven characters of a longer word, with the space before it. */
export function tokensOf(text: string): string[] {
  return text.match(/\s*\S{1,7}|\s+/gu) ?? [];
}

/** The first stop string in a text, and its index. */
export function firstStop(text: string, stop: readonly string[]): { string: string; at: number } | null {
  const found = stop.map(string => ({ string, at: text.indexOf(string) })).filter(({ at }) => at >= 0);
  return found.sort((one, other) => one.at - other.at)[0] ?? null;
}

/** Keeps the first `length` characters. The last token may be cut. */
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

/**
 * Lengthens a text, by four characters a token on average, as ordinary text has. Quotes, a backslash, a newline and characters of 2 to 4 bytes
 * test the readers.
 */
const filler = ' and| each| bit| goes| as| "text"| café|\n| in| 数据| a\\b| or| 🚀| <b>&| one| so,'.split(
  '|',
);

/** Makes a text exactly `count` tokens long. */
export function stretched(tokens: string[], count: number): string[] {
  const kept = tokens.slice(0, count);
  for (let at = kept.length; at < count; at++) kept.push(filler[at % filler.length] as string);
  return kept;
}
