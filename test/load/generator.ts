// The load generator as a process of its own, so that its CPU is nobody else's: a job in, what was seen out.
import { type Job, load, type Seen } from './load.ts';

/** What the generator says of a job. */
export type Report = { seen: Seen } | { failed: string };

process.on('message', async (job: Job) => process.send?.(await report(job)));
process.on('disconnect', () => process.exit(0));
process.send?.('up');

async function report(job: Job): Promise<Report> {
  try {
    return { seen: await load(job) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}
