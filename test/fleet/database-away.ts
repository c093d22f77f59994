import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { startPostgres } from '../../services/control/src/testing/postgres-server.ts';
import { expectAddsUp } from './adds-up.ts';
import { CountedLoad } from './counted-load.ts';
import { Fleet } from './fleet.ts';

/** The requests of the load before and after the outage. */
const beside = 20;

/**
 * Stops PostgreSQL for a time under load, and expects that every request is answered meanwhile and that the ledger adds up afterwards. Returns
 * the number of requests. `programs`: the folder of PostgreSQL's programs.
 */
export async function stopDatabase(programs: string, awayMs: number): Promise<number> {
  const postgres = await startPostgres(programs);
  try {
    const env = { DATABASE_URL: postgres.url, SIMULATOR_RECORD: '1' };
    await using fleet = await Fleet.start({ workers: 2, fronts: 2, env });
    const { whole, left } = await CountedLoad.during(fleet, async load => {
      await load.ended(beside);
      await postgres.halt();
      await sleep(awayMs);
      expect((await fleet.admin('GET', '/usage')).status).toBe(503);
      await postgres.start();
      await load.ended(beside);
    });
    expect([...whole, ...left].filter(status => status !== 200)).toEqual([]);
    const entries = await expectAddsUp(fleet);
    expect(entries).toHaveLength(whole.length + left.length);
    expect(fleet.control.running).toBe(true);
    return entries.length;
  } finally {
    await postgres.stop();
  }
}
