/** JSON of any shape: the tests check what the gateway wrote. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Json = any;

/** Removes members that are undefined. */
export function said<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Returns an object with these members only. */
export function exactly(value: Json, ...members: string[]): Json {
  const keys = Object.keys(value).sort().join();
  if (keys !== members.sort().join()) throw new Error(`not of the shape: ${JSON.stringify(value)}`);
  return value;
}
