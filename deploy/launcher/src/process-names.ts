/** The names of several processes of one service: `front`, `front-2`, `front-3`. */
export function processNames(service: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => (i === 0 ? service : `${service}-${i + 1}`));
}

/** The service that a process of such a name runs. */
export function serviceOf(name: string): string {
  return name.replace(/-\d+$/, '');
}
