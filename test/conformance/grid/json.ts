/** JSON as it came: what the gateway wrote is what is to be found out. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Json = any;

/** Without the members that are undefined, so that what was not said is not there. */
export function said<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** An object with these members and no others. */
export function exactly(value: Json, ...members: string[]): Json {
  const keys = Object.keys(value).sort().join();
  if (keys !== members.sort().join()) throw new Error(`not of the shape: ${JSON.stringify(value)}`);
  return value;
}
