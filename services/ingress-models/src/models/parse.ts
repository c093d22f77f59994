/** The model that a path names, decoded; undefined for the list. The name may hold `/`, also as `%2F`. */
export function modelOfPath(path: string): string | undefined {
  const name = /^\/v1\/models\/(.+)$/.exec(path)?.[1];
  if (name === undefined) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
