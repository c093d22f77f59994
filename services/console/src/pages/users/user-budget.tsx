import { Stack } from '@mantine/core';
import type { UserInfo } from '@model-gateway/admin-api';
import { api } from '../api.ts';
import { EditButtons } from '../layout/edit-buttons.tsx';
import { ManagedByFile } from '../layout/managed-by-file.tsx';
import { Section } from '../layout/section.tsx';
import { type Edit, useEdit } from '../layout/use-edit.ts';
import { useOutdate, useWritten } from '../layout/use-resource.ts';
import { budgetOfDraft, draftOfBudget } from '../settings-form/budget-draft.ts';
import { BudgetField } from '../settings-form/budget-field.tsx';
import { BudgetBar } from '../spending/budget-bar.tsx';
import { useSpent } from '../spending/use-spent.ts';
import classes from './user-budget.module.css';

/** The budget of all tokens of a user together: what of it is spent, and the form to change it. */
export function UserBudget({ user, etag }: { user: UserInfo; etag: string | null }) {
  const { name, budget } = user;
  const params = { name };
  const spentOf = useSpent('owner', [budget], name);
  const outdate = useOutdate();
  const written = useWritten();
  const edit = useEdit({
    resource: { value: user, etag },
    draftOf: ({ budget }) => ({ budget: draftOfBudget(budget) }),
    read: () => api.callForResource('showUser', { params }),
    write: async (draft, _, ifMatch) => {
      const body = { budget: budgetOfDraft(draft.budget) };
      return written('showUser', params, await api.callForResource('setUser', { params, body, ifMatch }));
    },
    saved: `The budget of ${name} is saved.`,
    readAgain: () => outdate('showUser', 'listUsers', 'totalUsage'),
  });
  return (
    <Section title="Budget">
      <Stack gap="sm" className={classes.frameless ?? ''}>
        {budget && <BudgetBar label={name} budget={budget} spent={spentOf(name, budget)} resets />}
        <ManagedByFile kind="user" name={name} place={user.place} />
        {!user.place && (
          <>
            <BudgetField
              value={edit.draft.budget}
              onChange={changed => edit.change({ budget: changed })}
              path="budget"
              errors={edit.errors}
            />
            <EditButtons edit={edit as Edit<object>} label="Save the budget" />
          </>
        )}
      </Stack>
    </Section>
  );
}
