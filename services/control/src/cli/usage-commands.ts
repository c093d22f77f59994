import type { UsagePage, UsageTotals } from '@model-gateway/admin-api';
import { type Command, queryOf, table } from './command.ts';

const filters = ['from', 'to', 'token', 'project', 'owner', 'tag', 'model', 'provider'] as const;

export const usageCommands: Partial<Record<string, Command>> = {
  totals: {
    takes: ['by', ...filters],
    async run(admin, values) {
      const query = queryOf(values, ['by', ...filters]);
      const totals = await admin().totals(query);
      return values.json ? JSON.stringify(totals, null, 2) : totalsTable(totals);
    },
  },
  list: {
    takes: ['limit', 'before', ...filters],
    async run(admin, values) {
      const page = await admin().usage(queryOf(values, ['limit', 'before', ...filters]));
      return values.json ? JSON.stringify(page, null, 2) : attemptTable(page);
    },
  },
  export: {
    takes: ['format', ...filters],
    run: (admin, values) => admin().exportUsage(queryOf(values, ['format', ...filters])),
  },
};

function attemptTable({ data, next }: UsagePage): string {
  const head = ['REQUEST', 'AT', 'PROJECT', 'MODEL', 'PROVIDER', 'OUTCOME', 'MS', 'INPUT', 'OUTPUT', 'COST'];
  const rows = data.map(({ requestId, at, project, model, provider, outcome, ms, usage, cost }) => [
    ...[requestId, at, project, model || '-', provider, outcome, String(ms)],
    ...[usage?.input, usage?.output, cost].map(value => String(value ?? '-')),
  ]);
  return [table([head, ...rows]), ...(next ? [`Further ones: --before ${next}`] : [])].join('\n\n');
}

function totalsTable({ by, data }: UsageTotals): string {
  const rows = data.map(({ key, requests, input, output, cost, unpriced }) => [
    key ?? '-',
    String(requests),
    String(input),
    String(output),
    // Sums of floating-point numbers have digits that mean nothing.
    String(Number(cost.toPrecision(12))),
    String(unpriced),
  ]);
  return table([[by.toUpperCase(), 'REQUESTS', 'INPUT', 'OUTPUT', 'COST', 'UNPRICED'], ...rows]);
}
