/** The fewest characters of base64 that are omitted. */
const least = 256;
/** Characters of a long string that are looked at. */
const sampled = 1_024;

const dataUrl = /^data:[^,"]{0,200};base64,/;
/** In JSON, `/` may be escaped. */
const alphabet = /^[A-Za-z0-9+/_=\\-]+$/;
/** Data has letters of both cases and digits, or is a run of zero bytes, such as silence. */
const mixed = /^(?:(?=.*[A-Z])(?=.*[a-z])(?=.*\d)|A{64})/;
const within = /(data:[\w.+-]+\/[\w.+-]+(?:;[\w=.-]+)?;base64,)([A-Za-z0-9+/_=-]{64,})/g;

/**
 * Returns a mark with the size for a string that is data in base64, or a data URL of it; undefined for any other string.
 * `begin` is at least the first characters, `length` the number of all.
 */
export function markOfData(begin: string, length: number): string | undefined {
  const head = dataUrl.exec(begin.slice(0, sampled))?.[0] ?? '';
  const sample = begin.slice(head.length, sampled);
  if (length - head.length < least || !alphabet.test(sample)) return undefined;
  return head || mixed.test(sample) ? head + mark(length - head.length) : undefined;
}

/** Replaces data URLs within a text by marks with their sizes. */
export function omitData(text: string): string {
  if (!text.includes(';base64,')) return text;
  return text.replace(within, (_, head: string, data: string) => head + mark(data.length));
}

function mark(characters: number): string {
  return `[${Math.floor((characters * 3) / 4)} bytes omitted]`;
}
