/**
 * Cuts a text into what this model counts and streams as tokens: a word, or seven characters of a longer one,
 * with the space before it. That makes about four characters a token.
 */
export function tokensOf(text: string): string[] {
  return text.match(/\s*\S{1,7}|\s+/gu) ?? [];
}

/** Keeps the tokens before the first stop string; the last one kept may be a part of a token. */
export function untilStop(tokens: string[], stop: readonly string[]): string[] {
  if (stop.length === 0) return tokens;
  const text = tokens.join('');
  const found = stop.map(string => text.indexOf(string)).filter(at => at >= 0);
  if (found.length === 0) return tokens;
  let left = Math.min(...found);
  const kept: string[] = [];
  for (const token of tokens) {
    if (left <= 0) break;
    kept.push(token.slice(0, left));
    left -= token.length;
  }
  return kept;
}

/** Words to lengthen a text with; among them what breaks careless readers: quotes, a backslash, a newline, 2 to 4 bytes a character. */
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
