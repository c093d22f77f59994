/** The most processes of one service on one machine. */
export const mostProcesses = 64;
/** The most processes of one service that are started without being asked for: each takes memory, also where it has nothing to do. */
export const mostByDefault = 4;

/** The number of workers, and of fronts, on a machine of so many cores: half of the cores each. */
export function processesFor(cores: number): number {
  return Math.min(Math.max(Math.floor(cores / 2), 1), mostByDefault);
}

/** The names of several processes of one service: `front`, `front-2`, `front-3`. */
export function processNames(service: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => (i === 0 ? service : `${service}-${i + 1}`));
}

/** The service that a process of such a name runs. */
export function serviceOf(name: string): string {
  return name.replace(/-\d+$/, '');
}
