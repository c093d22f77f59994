/** Returns settings as an answer has them: each field of their shape, with null for one that is not set. */
export function shownSettings<Shown extends object>(
  shape: Record<keyof Shown, unknown>,
  settings: object,
): Shown {
  const names = Object.keys(shape) as (keyof Shown)[];
  return Object.fromEntries(names.map(name => [name, (settings as Partial<Shown>)[name] ?? null])) as Shown;
}
