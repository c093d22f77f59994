import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { postgresPrograms, startPostgres } from '../../services/control/src/testing/postgres-server.ts';
import { expectAddsUp } from './adds-up.ts';
import { CountedLoad } from './counted-load.ts';
import { Fleet } from './fleet.ts';

/** The time without a database. */
const awayMs = Number(process.env.GATEWAY_TEST_MINUTES ?? 1) * 60_000;
/** The requests of the load before and after the outage. */
const beside = 20;

const programs = postgresPrograms();

test.skipIf(!programs)(
  'every request is answered without a database, and the ledger adds up afterwards (only with postgres)',
  { timeout: awayMs + 180_000 },
  async () => {
    const postgres = await startPostgres(programs as string);
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
      expect(await expectAddsUp(fleet)).toHaveLength(whole.length + left.length);
      expect(whole.length).toBeGreaterThan(100);
      expect(fleet.control.running).toBe(true);
    } finally {
      await postgres.stop();
    }
  },
);
