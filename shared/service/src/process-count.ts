/** The most processes of one service by default, since each takes memory even when it is idle. */
const mostByDefault = 4;

/** Returns the default number of workers, and of fronts: half of the cores each. */
export function processesFor(cores: number): number {
  return Math.min(Math.max(Math.floor(cores / 2), 1), mostByDefault);
}
