import { filtered, outOfMoney, outOfResources, type RefusalRow, rateLimited } from './rows.ts';
import { tooLong } from './too-long.ts';

export type { RefusalRow } from './rows.ts';

/** All refusals that are known beyond their status, by what they mean. */
export const refusals = {
  'too-long': tooLong,
  filtered,
  'out-of-money': outOfMoney,
  'rate-limited': rateLimited,
  'out-of-resources': outOfResources,
} as const satisfies Record<string, readonly RefusalRow[]>;

/** The meaning of a refusal beyond its status. */
export type RefusalMeaning = keyof typeof refusals;

const meanings = Object.entries(refusals) as [RefusalMeaning, readonly RefusalRow[]][];

const byCode = new Map(
  meanings.flatMap(([meaning, rows]) =>
    rows.flatMap(({ codes = [] }) => codes.map(code => [code, meaning] as const)),
  ),
);

const byWords = meanings.map(([meaning, rows]) => {
  const words = rows.flatMap(row => row.words ?? []).map(({ source }) => source);
  return [meaning, new RegExp(words.length > 0 ? words.join('|') : '(?!)', 'i')] as const;
});

/** Characters of a message that are searched. */
const searched = 4_000;

/** Words of other limits, whose messages speak of too many tokens or of too long an input, too: per time, or of characters. */
const otherLimits = /\bcharacters\b|\brate limit|\bper (?:second|minute|hour|day)\b|\btp[md]\b/i;

/** Returns the meaning of the first code, or type of an error, that says one. */
export function meaningOfCodes(codes: readonly unknown[]): RefusalMeaning | undefined {
  for (const code of codes) {
    const meaning = byCode.get(String(code));
    if (meaning) return meaning;
  }
  return undefined;
}

/** Returns the meaning of an error's message. */
export function meaningOfWords(message: string): RefusalMeaning | undefined {
  const beginning = message.slice(0, searched);
  const [meaning] = byWords.find(([, words]) => words.test(beginning)) ?? [];
  return meaning === 'too-long' && otherLimits.test(beginning) ? undefined : meaning;
}
