/** Writes a text as one word of a POSIX shell, in single quotes unless it needs none. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
