/** True if a name matches a pattern: exactly, or by its one `*`, which stands for at least one character. `*` matches every name. */
export function matchesPattern(name: string, pattern: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return name === pattern;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after);
}
