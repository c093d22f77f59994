import { Text } from '@mantine/core';
import { formatMoney } from '../layout/format.ts';
import type { Records } from '../layout/reading.ts';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty } from '../layout/states.tsx';
import { Time } from '../layout/time.tsx';
import { BudgetBar } from '../spending/budget-bar.tsx';
import { periodEnd } from '../spending/period.ts';
import { type Budget, type BudgetOwner, useSpent } from '../spending/use-spent.ts';

/** A row of the table: a token, a project or a user. */
interface Owner {
  /** Its key in totals of usage. */
  key: string;
  name: string;
  budget: Budget | null;
  to: string;
}

interface Spending extends Owner {
  budget: Budget;
  /** In dollars; undefined while it is read, null if it is not known. */
  spent: number | null | undefined;
}

/** The budgets of a list, which is read to its end, with the largest spent part first. */
export function BudgetTable<Item>({
  label,
  by,
  list,
  show,
}: {
  label: string;
  by: BudgetOwner;
  list: Records<Item>;
  show(item: Item): Owner;
}) {
  const { records, more } = list;
  const owners = records.map(show);
  const spentOf = useSpent(
    by,
    owners.map(({ budget }) => budget),
  );
  const rows = owners
    .flatMap(owner => {
      const { key, budget } = owner;
      return budget ? [{ ...owner, budget, spent: spentOf(key, budget) }] : [];
    })
    .toSorted((one, other) => partOf(other) - partOf(one));
  return (
    <>
      {more && (
        <Text size="sm" role="status">
          Loading… {records.length.toLocaleString('en-US')} so far.
        </Text>
      )}
      <RecordTable
        label={label}
        list={{ ...list, records: rows, more: false }}
        columns={columns}
        keyOf={({ key }) => key}
        to={({ to }) => to}
        empty={
          more ? null : (
            <Empty title="No budgets set">
              A budget limits the spend of a day, a week, a month or in total. Set one on a project, a user or
              a token.
            </Empty>
          )
        }
      />
    </>
  );
}

function partOf({ budget, spent }: Spending): number {
  return (spent ?? 0) / budget.amount;
}

const columns: readonly Column<Spending>[] = [
  { label: 'Name', render: ({ name }) => name },
  {
    label: 'Spent',
    render: ({ name, budget, spent }) => <BudgetBar label={name} budget={budget} spent={spent} />,
  },
  {
    label: 'Remaining',
    numeric: true,
    wideOnly: true,
    render: ({ budget, spent }) =>
      typeof spent === 'number' ? formatMoney(Math.max(0, budget.amount - spent)) : '–',
  },
  {
    label: 'Resets at',
    wideOnly: true,
    render: ({ budget }) => <Time at={periodEnd(budget.period, new Date())?.toISOString() ?? null} />,
  },
  {
    label: 'Running streams',
    wideOnly: true,
    render: ({ budget }) => (budget.endsStreams === false ? 'Continue' : 'End'),
  },
];
