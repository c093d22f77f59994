import { Fieldset, NumberInput, Select, SimpleGrid, Stack, Switch } from '@mantine/core';
import { budgetPeriods } from '@model-gateway/admin-api';
import type { Budget, BudgetDraft } from './budget-draft.ts';
import { messageAt, type SettingProps } from './setting-props.ts';

type Period = Budget['period'];

const periods: Record<Period, string> = {
  day: 'a day',
  week: 'a week',
  month: 'a month',
  total: 'in all',
};

/** Fields for the budget of a token, a project or a user. */
export function BudgetField({ value, onChange, path, errors, disabled }: SettingProps<BudgetDraft>) {
  return (
    <Fieldset legend="Budget" disabled={disabled ?? false}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
          <NumberInput
            label="US dollars"
            placeholder="No budget"
            description="An empty field sets no budget."
            prefix="$"
            value={value.amount}
            onChange={amount =>
              onChange({
                ...value,
                amount:
                  typeof amount === 'string' && amount !== '' ? Number(amount) : (amount as number | ''),
              })
            }
            error={messageAt(errors, path, 'amount') ?? messageAt(errors, path)}
            allowNegative={false}
            thousandSeparator=","
            hideControls
          />
          <Select
            label="Period"
            description="Of the calendar in UTC."
            data={budgetPeriods.map(period => ({ value: period, label: periods[period] }))}
            value={value.period}
            onChange={period => onChange({ ...value, period: (period ?? 'month') as Period })}
            error={messageAt(errors, path, 'period')}
            allowDeselect={false}
          />
        </SimpleGrid>
        <Switch
          label="End running streams when it is spent"
          description="If they go on, each reserves the most that its model writes."
          checked={value.endsStreams}
          onChange={event => onChange({ ...value, endsStreams: event.currentTarget.checked })}
        />
      </Stack>
    </Fieldset>
  );
}
