import { parseArgs } from 'node:util';
import pg from 'pg';
import { postgresPrograms, startPostgres } from '../../services/control/src/testing/postgres-server.ts';
import { Stage } from '../../services/control/src/testing/stage.ts';
import { type SeededLedger, seed } from './seed.ts';

/**
 * Fills a new PostgreSQL with records and prints the times of the API's usage queries, in milliseconds: the median and the longest of
 * several rounds.
 */
const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '10000000' },
    days: { type: 'string', default: '90' },
    tokens: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '10' },
  },
});
const ledger: SeededLedger = {
  records: Number(values.records),
  days: Number(values.days),
  tokens: Number(values.tokens),
};

const dayMs = 86_400_000;
const now = Date.now();
const since = (days: number) => `from=${new Date(now - days * dayMs).toISOString()}`;
const today = Math.floor(now / dayMs) * dayMs;
const month = `from=${new Date(today - 31 * dayMs).toISOString()}&to=${new Date(today).toISOString()}`;

const queries = {
  'all, by model': 'totals?by=model',
  'all, by token': 'totals?by=token',
  'all, by day': 'totals?by=day',
  'all, by the tag team': 'totals?by=tag:team',
  'the last 24 hours, by model': `totals?by=model&${since(1)}`,
  'the last 30 days, by model': `totals?by=model&${since(30)}`,
  'the last 30 days, by token': `totals?by=token&${since(30)}`,
  'a month, by owner': `totals?by=owner&${month}`,
  'a month of a project, by day': `totals?by=day&project=project-7&${month}`,
  'a month of a token, by day': `totals?by=day&token=token-7&${month}`,
  'a month of a tag, by model': `totals?by=model&tag=team:team-3&${month}`,
  '30 days over days, by model': `series?by=model&step=day&${since(30)}`,
  '90 days over days, by token': `series?by=token&step=day&${since(90)}`,
  '7 days over hours, by model': `series?by=model&step=hour&${since(7)}`,
  '7 days over hours, by token': `series?by=token&step=hour&${since(7)}`,
  '30 days over hours': `series?step=hour&${since(30)}`,
  '30 days over hours, by project': `series?by=project&step=hour&${since(30)}`,
  '30 days over hours, by model': `series?by=model&step=hour&${since(30)}`,
  '30 days over hours, by owner': `series?by=owner&step=hour&${since(30)}`,
  '30 days over hours, by token': `series?by=token&step=hour&${since(30)}`,
  '30 days of a project, by model': `series?by=model&project=project-7&step=hour&${since(30)}`,
  'an hour over minutes, by model': `series?by=model&step=minute&from=${new Date(today - 3_600_000).toISOString()}&to=${new Date(today).toISOString()}`,
  'a list of the newest 100': '?limit=100',
  'a list of a month': `?${month}&limit=100`,
  'a list of a token': '?token=token-7&limit=100',
  'a list of a tag': '?tag=team:team-3&limit=100',
  'a list of a project': '?project=project-7&limit=100',
  'the attempts of a request': '?request=REQUEST',
  'the attempts of an unknown request': '?request=none&limit=1',
  'a list of an unknown project': '?project=none&limit=100',
  'an export of an unknown project': 'export?format=jsonl&project=none',
};

/** Fills the ledger, prints how much is in it, and returns the id of an early request. */
async function fill(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const began = performance.now();
    await seed(client, ledger, records => process.stdout.write(`\r${records.toLocaleString('en')} records`));
    console.log(` in ${Math.round((performance.now() - began) / 1_000)} s`);
    const { rows } = await client.query(sizes);
    console.log(`${rows[0].hours} roll-ups of hours, ${rows[0].days} of days, ${rows[0].size} in all`);
    const early = await client.query('select request_id as id from usage order by at limit 1 offset 1000');
    return early.rows[0].id;
  } finally {
    await client.end();
  }
}

const sizes = `select (select count(*) from usage_hours) as hours, (select count(*) from usage_days) as days,
  pg_size_pretty(pg_database_size(current_database())) as size`;

const programs = postgresPrograms();
if (!programs) throw new Error('there is no initdb and postgres on this machine');
const postgres = await startPostgres(programs);
const stage = await Stage.set();
try {
  const control = await stage.control({ DATABASE_URL: postgres.url, GATEWAY_DATA: await stage.folder() });
  const requestId = await fill(postgres.url);
  for (const [name, query] of Object.entries(queries)) {
    const times: number[] = [];
    for (let round = 0; round < Number(values.rounds); round++) {
      const start = performance.now();
      const { status } = await control.api(
        'GET',
        `/usage/${query}`.replace('/?', '?').replace('REQUEST', requestId),
      );
      if (status !== 200) throw new Error(`${query} was answered with status ${status}`);
      times.push(performance.now() - start);
    }
    times.sort((a, b) => a - b);
    const median = times[Math.floor(times.length / 2)] as number;
    console.log(
      `${name.padEnd(32)}${median.toFixed(0).padStart(6)}${Math.max(...times)
        .toFixed(0)
        .padStart(6)}`,
    );
  }
} finally {
  await stage.clear();
  await postgres.stop();
}
