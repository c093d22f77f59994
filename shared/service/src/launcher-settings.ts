import { availableParallelism } from 'node:os';
import { z } from 'zod';

const processCount = z.coerce
  .number()
  .int()
  .min(1)
  .max(64)
  .default(() => processesFor(availableParallelism()));

/** The settings that `npm start` alone reads. */
export const launcherSettings = {
  GATEWAY_WORKERS: processCount.meta({
    description: 'The number of workers of `npm start`, 1 to 64',
    defaultInWords: 'half of the cores, 1 to 4',
  }),
  GATEWAY_FRONTS: processCount.meta({
    description: 'The number of fronts of `npm start`, which share `PORT`, 1 to 64; always 1 on macOS',
    defaultInWords: 'half of the cores, 1 to 4',
  }),
  GATEWAY_SCHEDULING: z
    .enum(['batch', 'normal'])
    .default('batch')
    .describe(
      'The scheduling policy of the processes of `npm start` on Linux: `batch` takes less CPU, `normal` answers sooner beside busy programs',
    ),
  GATEWAY_READY_FILE: z
    .string()
    .optional()
    .describe('File that `npm start` writes once requests can be answered: URLs, tokens, processes'),
};

/** The most processes of one service by default, since each takes memory even when it is idle. */
const mostByDefault = 4;

/** Returns the default number of workers, and of fronts: half of the cores each. */
export function processesFor(cores: number): number {
  return Math.min(Math.max(Math.floor(cores / 2), 1), mostByDefault);
}
