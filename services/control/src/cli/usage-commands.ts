import type { UsagePage, UsageTotals } from '@model-gateway/admin-api';
import { type Command, command } from './command.ts';
import { queryOf } from './option-values.ts';
import { parameterOptions } from './parameters.ts';
import { exportCommand, pageCommand } from './record-commands.ts';
import { jsonText, money, table } from './table.ts';

const totals = command({
  name: 'usage totals',
  about: 'Count requests, and sum the usage of attempts',
  options: parameterOptions('totalUsage'),
  async run({ admin, values, json }) {
    const query = queryOf(values);
    const sums = await admin().call('totalUsage', { query });
    return json ? jsonText(sums) : totalsTable(sums);
  },
});

const list = pageCommand({
  name: 'usage list',
  about: 'List the attempts, newest first',
  endpoint: 'listUsage',
  more: () => 'Further ones',
  head: [
    ...['REQUEST', 'AT', 'PROJECT', 'MODEL', 'PROVIDER', 'OUTCOME'],
    ...['MS', 'FIRST MS', 'INPUT', 'OUTPUT', 'COST', 'UPSTREAM'],
  ],
  row(attempt) {
    const { requestId, at, project, model, provider, ms, firstMs, usage } = attempt;
    return [
      ...[requestId, at, project, model || '-', provider, outcomeOf(attempt)],
      ...[ms, firstMs ?? '-', usage?.input ?? '-', usage?.output ?? '-', costOf(attempt)],
      upstreamOf(attempt),
    ];
  },
});

const exported = exportCommand({
  name: 'usage export',
  about: 'Write all attempts, oldest first',
  endpoint: 'exportUsage',
});

const refused = command({
  name: 'usage refused',
  about: 'Count the requests that the gateway refused before it called a provider, by token and reason',
  notes: 'A few of them, one by one: gateway request refused',
  options: parameterOptions('totalRefused'),
  async run({ admin, values, json }) {
    const query = queryOf(values);
    const sums = await admin().call('totalRefused', { query });
    if (json) return jsonText(sums);
    const rows = sums.data.map(({ token, project, owner, status, reason, refused, last }) => [
      ...[refused, status, reason, token ?? '-', project ?? '-', owner ?? '-', last],
    ]);
    return table([['REFUSED', 'STATUS', 'REASON', 'TOKEN', 'PROJECT', 'OWNER', 'LAST'], ...rows]);
  },
});

export const usageCommands: readonly Command[] = [totals, list, exported, refused];

/** Writes the cost of an attempt, and whether it is not charged. */
function costOf({ cost, charged }: UsagePage['data'][number]) {
  if (cost === null) return '-';
  return charged ? money(cost) : { amount: `${money(cost).amount} not charged` };
}

/** Writes what the provider said of an attempt that failed, in one line. */
function upstreamOf({ upstreamStatus, upstreamMessage }: UsagePage['data'][number]): string {
  const words = (upstreamMessage ?? '').replace(/\s+/g, ' ').trim();
  return [upstreamStatus ?? '', words].filter(part => part !== '').join(' ') || '-';
}

/** Writes the outcome of an attempt with the administrator who ended it, else with the kind of its error. */
function outcomeOf({ outcome, error, endedBy }: UsagePage['data'][number]): string {
  if (endedBy !== null) return `${outcome} by ${endedBy}`;
  return error === null || error === outcome ? outcome : `${outcome}: ${error}`;
}

function totalsTable({ by, data }: UsageTotals): string {
  const rows = data.map(
    ({ key, requests, failed, attempts, input, output, cost, unchargedCost, unpriced }) => [
      key ?? '-',
      requests,
      failed,
      attempts,
      input,
      output,
      cost === 0 && unpriced > 0 ? '-' : money(cost),
      unpriced,
      unchargedCost === 0 ? '-' : money(unchargedCost),
    ],
  );
  return table([
    [
      by.toUpperCase(),
      'REQUESTS',
      'FAILED',
      'ATTEMPTS',
      'INPUT',
      'OUTPUT',
      'COST',
      'UNPRICED',
      'NOT CHARGED',
    ],
    ...rows,
  ]);
}
