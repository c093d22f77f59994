import { expect, test } from 'vitest';
import { postgresPrograms } from '../../services/control/src/testing/postgres-server.ts';
import { stopDatabase } from '../fleet/database-away.ts';

const minutes = Number(process.env.GATEWAY_TEST_MINUTES ?? 10);

const timeout = (minutes + 10) * 60_000;

test(`the ledger adds up after PostgreSQL was away for ${minutes} minutes under load`, {
  timeout,
}, async () => {
  const programs = postgresPrograms();
  if (!programs) throw new Error('PostgreSQL is not installed');
  expect(await stopDatabase(programs, minutes * 60_000)).toBeGreaterThan(0);
});
