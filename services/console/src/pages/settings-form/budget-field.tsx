import { Fieldset, NumberInput, Select, SimpleGrid, Stack, Switch } from '@mantine/core';
import { budgetPeriods, type NewToken } from '@model-gateway/admin-api';
import { useState } from 'react';
import { messageAt, messageIn, type SettingProps } from '../layout/setting-props.ts';

type Budget = NonNullable<NewToken['budget']>;

const periods: Record<Budget['period'], string> = {
  day: 'Daily',
  week: 'Weekly',
  month: 'Monthly',
  total: 'Total, never resets',
};

/** Fields for the budget of a token, a project or a user; null for none. `framed` is false where a section has the frame. */
export function BudgetField({
  value,
  onChange,
  path,
  errors,
  disabled,
  framed = true,
}: SettingProps<Budget | null | undefined> & { framed?: boolean }) {
  // What is chosen before there is an amount.
  const [unspent, setUnspent] = useState<Omit<Budget, 'amount'>>({ period: 'month' });
  const { period, endsStreams } = value ?? unspent;
  const change = (part: Partial<Omit<Budget, 'amount'>>) => {
    setUnspent({ period, endsStreams, ...part });
    if (value) onChange({ ...value, ...part });
  };
  return (
    <Fieldset {...(framed ? { legend: 'Budget' } : { variant: 'unstyled' })} disabled={disabled ?? false}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
          <NumberInput
            label="Amount (USD)"
            placeholder="No budget"
            description="Leave empty for no budget."
            prefix="$"
            value={value?.amount ?? ''}
            onChange={amount =>
              onChange(amount === '' ? null : { ...(value ?? unspent), amount: Number(amount) })
            }
            error={messageAt(errors, [...path, 'amount']) ?? messageAt(errors, path)}
            allowNegative={false}
            thousandSeparator=","
            hideControls
          />
          <Select
            label="Period"
            description="Calendar periods in UTC."
            data={budgetPeriods.map(each => ({ value: each, label: periods[each] }))}
            value={period}
            onChange={chosen => change({ period: (chosen ?? 'month') as Budget['period'] })}
            error={messageIn(errors, [...path, 'period'])}
            allowDeselect={false}
          />
        </SimpleGrid>
        <Switch
          label="End running streams when the budget is spent"
          description="Otherwise each stream reserves the most that its model can write."
          checked={endsStreams !== false}
          onChange={event => change({ endsStreams: event.currentTarget.checked ? undefined : false })}
        />
      </Stack>
    </Fieldset>
  );
}
