/** The most processes of one service on one machine. */
export const mostProcesses = 64;
/** The most processes of one service that are started without being asked for: each takes memory, also where it has nothing to do. */
export const mostByDefault = 4;

/** The number of workers, and of fronts, on a machine of so many cores: half of the cores each. */
export function processesFor(cores: number): number {
  return Math.min(Math.max(Math.floor(cores / 2), 1), mostByDefault);
}
