import { expect, test } from 'vitest';
import { postgresPrograms } from '../../services/control/src/testing/postgres-server.ts';
import { stopDatabase } from './database-away.ts';

const programs = postgresPrograms();

test.skipIf(!programs)('the ledger adds up after 60 s without a database (only with postgres)', async () => {
  expect(await stopDatabase(programs as string, 60_000)).toBeGreaterThan(100);
});
