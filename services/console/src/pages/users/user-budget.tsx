import { Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { api } from '../api.ts';
import { Section } from '../layout/page.tsx';
import { useChanged } from '../layout/reading.ts';
import { FormPage } from '../layout/record-form.tsx';
import { useRecordForm } from '../layout/use-record-form.ts';
import { BudgetField } from '../settings-form/budget-field.tsx';
import { ManagedByFile } from '../settings-form/managed-by-file.tsx';
import { BudgetBar } from '../spending/budget-bar.tsx';
import { useSpent } from '../spending/use-spent.ts';
import type { UserProps } from './login-section.tsx';

/** The budget of all tokens of a user together: what of it is spent, and the form to change it. */
export function UserBudget({ user, etag, reload }: UserProps) {
  const { name, budget } = user;
  const params = { name };
  const spentOf = useSpent('owner', [budget], name);
  const { changed, written } = useChanged();
  const form = useRecordForm({
    initial: { budget },
    ...{ etag, reload },
    submit: (body, { ifMatch }) => api.callForResource('setUser', { params, body, ifMatch }),
    onSaved: saved => {
      written('showUser', params, saved);
      notifications.show({ message: `The budget of ${name} is saved.` });
      return changed();
    },
  });
  return (
    <Section title="Budget">
      <Stack gap="sm">
        {budget && <BudgetBar label={name} budget={budget} spent={spentOf(name, budget)} resets />}
        <ManagedByFile kind="user" name={name} place={user.place} />
        {!user.place && (
          <FormPage form={form} label="Budget" save="Save the budget">
            <BudgetField {...form.setting('budget')} framed={false} />
          </FormPage>
        )}
      </Stack>
    </Section>
  );
}
