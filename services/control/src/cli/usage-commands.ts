import {
  type RefusedTotals,
  refusedTotals,
  type UsagePage,
  type UsageTotals,
  usageOutcomes,
} from '@model-gateway/admin-api';
import { type Command, command, text, texts } from './command.ts';
import { queryOf } from './option-values.ts';
import { jsonText, money, table } from './table.ts';

const filters = {
  from: text('TIME', 'the first time, an RFC 3339 one'),
  to: text('TIME', 'the time up to which they are listed, an RFC 3339 one'),
  token: text('ID', 'the token', { names: 'tokens' }),
  project: text('NAME', 'the project', { names: 'projects' }),
  owner: text('NAME', 'the user who owns the token', { names: 'users' }),
  tag: texts('NAME:VALUE', 'a tag of the token; of several, an attempt has each'),
  model: text('NAME', 'the model', { names: 'models' }),
  provider: text('NAME', 'the provider', { names: 'providers' }),
};

const totals = command({
  name: 'usage totals',
  about: 'Count requests, and sum the usage of attempts',
  options: {
    by: text('GROUP', 'token, project, owner, model (default), provider, day, or a tag such as tag:team'),
    ...filters,
  },
  async run({ admin, values, json }) {
    const query = queryOf(values);
    const sums = await admin().totals(query);
    return json ? jsonText(sums) : totalsTable(sums);
  },
});

const list = command({
  name: 'usage list',
  about: 'List the attempts, newest first',
  options: {
    ...filters,
    request: text('ID', 'the request, as in x-request-id'),
    outcome: text('OUTCOME', 'how the attempt ended', { choices: usageOutcomes }),
    error: text('KIND', 'the kind of its error'),
    limit: text('NUMBER', 'as many at most'),
    cursor: text('CURSOR', 'the page that follows another one'),
  },
  async run({ admin, values, json }) {
    const query = queryOf(values);
    let page = await admin().usage(query);
    // A search that takes long answers before it has found anything.
    while (page.data.length === 0 && page.next !== null) {
      query.set('cursor', page.next);
      page = await admin().usage(query);
    }
    return json ? jsonText(page) : attemptTable(page);
  },
});

const exported = command({
  name: 'usage export',
  about: 'Write all attempts, oldest first',
  options: { format: text('FORMAT', 'the format (csv)', { choices: ['csv', 'jsonl'] }), ...filters },
  json: false,
  run({ admin, values }) {
    const query = queryOf(values);
    return admin().stream(`/usage/export?${query}`);
  },
});

const { provider: _provider, tag: _tag, ...refusedFilters } = filters;

const refused = command({
  name: 'usage refused',
  about: 'Count the requests that the gateway refused before it called a provider, by token and reason',
  notes: 'A few of them, one by one: gateway request refused',
  options: { ...refusedFilters, reason: text('KIND', 'the kind of the error, such as rate-limited') },
  async run({ admin, values, json }) {
    const sums = await admin().ask(refusedTotals, 'GET', `/usage/refused/totals?${queryOf(values)}`);
    return json ? jsonText(sums) : refusedTable(sums);
  },
});

export const usageCommands: readonly Command[] = [totals, list, exported, refused];

function refusedTable({ data }: RefusedTotals): string {
  const rows = data.map(({ token, project, owner, status, reason, refused, last }) => [
    ...[refused, status, reason, token ?? '-', project ?? '-', owner ?? '-', last],
  ]);
  return table([['REFUSED', 'STATUS', 'REASON', 'TOKEN', 'PROJECT', 'OWNER', 'LAST'], ...rows]);
}

function attemptTable({ data, next }: UsagePage): string {
  const head = [
    ...['REQUEST', 'AT', 'PROJECT', 'MODEL', 'PROVIDER', 'OUTCOME'],
    ...['MS', 'FIRST MS', 'INPUT', 'OUTPUT', 'COST', 'UPSTREAM'],
  ];
  const rows = data.map(attempt => {
    const { requestId, at, project, model, provider, ms, firstMs, usage } = attempt;
    return [
      ...[requestId, at, project, model || '-', provider, outcomeOf(attempt)],
      ...[ms, firstMs ?? '-', usage?.input ?? '-', usage?.output ?? '-', costOf(attempt)],
      upstreamOf(attempt),
    ];
  });
  return [table([head, ...rows]), ...(next ? [`Further ones: --cursor ${next}`] : [])].join('\n\n');
}

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
