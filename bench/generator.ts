// The load generator in its own process, so that its CPU time is separate: it receives a job and sends the
// result.
import { type Job, load, type Seen } from './load.ts';

/** The result of a job. */
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
