/** The most levels of nested JSON that are kept; deeper ones are left out. */
export const maxDepth = 32;

/** Text that a database takes: without NUL, and without a half of a surrogate pair. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** JSON that `jsonb` takes, however deep what is given is nested. */
export function cleanJson(value: unknown, levels = maxDepth): { value: unknown; changed: boolean } {
  let changed = false;
  const clean = (given: unknown, left: number): unknown => {
    if (typeof given === 'string') return cleanOne(given);
    if (typeof given !== 'object' || given === null) return given;
    if (left === 0) {
      changed = true;
      return null;
    }
    if (Array.isArray(given)) return given.map(each => clean(each, left - 1));
    const entries = Object.entries(given);
    return Object.fromEntries(entries.map(([name, each]) => [cleanOne(name), clean(each, left - 1)]));
  };
  const cleanOne = (text: string) => {
    const cleaned = cleanText(text);
    changed ||= cleaned !== text;
    return cleaned;
  };
  return { value: clean(value, levels), changed };
}
