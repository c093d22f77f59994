import { setTimeout as pause } from 'node:timers/promises';
import { memoryOf } from './process-usage.ts';

/** The number that is opened first, so that memory which the first ones allocate once is not counted. */
const warmUp = 50;

export interface MemoryOfEachOptions {
  /** The processes by name. */
  pids: Record<string, number>;
  /** The number of sessions, streams and so on that are open at once. */
  count: number;
  /** The time after which memory is read, in milliseconds. */
  settleMs: number;
  /** Opens this many; resolves with a function that closes them. */
  open(count: number): Promise<() => void>;
}

/** Returns the memory that each of many sessions or streams takes in each process, in KiB. */
export async function memoryOfEach(
  { pids, count, settleMs, open }: MemoryOfEachOptions,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const settle = () => pause(settleMs, undefined, { signal });
  const closeFirst = await open(warmUp);
  closeFirst();
  await settle();
  const before = memoryOf(pids).own;
  const close = await open(count);
  try {
    await settle();
    const after = Object.entries(memoryOf(pids).own);
    return Object.fromEntries(
      after.map(([name, mb]) => [name, ((mb - (before[name] ?? 0)) * 1_024) / count]),
    );
  } finally {
    close();
    await settle();
  }
}
