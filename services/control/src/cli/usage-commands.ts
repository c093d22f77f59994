import type { UsageTotals } from '@model-gateway/admin-api';
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
};

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
