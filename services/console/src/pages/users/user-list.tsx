import { Button, Group, Text } from '@mantine/core';
import type { UserInfo } from '@model-gateway/admin-api';
import { useState } from 'react';
import { FilterText } from '../layout/filter-text.tsx';
import { Mark } from '../layout/mark.tsx';
import { Page } from '../layout/page.tsx';
import { useRecords } from '../layout/reading.ts';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty } from '../layout/states.tsx';
import { Time } from '../layout/time.tsx';
import { useFilters } from '../layout/use-filters.ts';
import { BudgetBar } from '../spending/budget-bar.tsx';
import { type SpentOf, useSpent } from '../spending/use-spent.ts';
import { NewUser } from './new-user.tsx';

/** The users, with their logins, roles and budgets. */
export function UserList() {
  const { values, set } = useFilters(['name']);
  const list = useRecords<UserInfo>('listUsers', { query: values });
  const spentOf = useSpent(
    'owner',
    list.records.map(({ budget }) => budget),
  );
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title="Users"
      about="A user may own tokens and have a budget. With a login, the user may also sign in."
      actions={<Button onClick={() => setCreating(true)}>Create a user</Button>}
    >
      <FilterText label="Name" value={values.name} onChange={name => set({ name })} />
      <RecordTable
        label="Users"
        list={list}
        columns={columnsWith(spentOf)}
        keyOf={({ id }) => id}
        to={({ name }) => `/users/${encodeURIComponent(name)}`}
        empty={
          values.name ? (
            <Empty title="No matching users" />
          ) : (
            <Empty title="No users yet">
              Create one, or create a token with an owner, which creates the user.
            </Empty>
          )
        }
      />
      {creating && <NewUser onClose={() => setCreating(false)} />}
    </Page>
  );
}

function columnsWith(spentOf: SpentOf): Column<UserInfo>[] {
  return [
    { label: 'User', render: ({ name }) => name },
    { label: 'Sign-in', render: user => <SignInWays user={user} /> },
    { label: 'Projects', render: ({ projects }) => <Roles projects={projects} />, wideOnly: true },
    {
      label: 'Budget',
      wideOnly: true,
      render: ({ name, budget }) => (
        <BudgetBar label={name} budget={budget} spent={budget && spentOf(name, budget)} />
      ),
    },
    {
      label: 'Last sign-in',
      wideOnly: true,
      render: ({ login }) => <Time at={login?.lastSignInAt ?? null} />,
    },
  ];
}

function SignInWays({ user: { login } }: { user: UserInfo }) {
  if (!login)
    return (
      <Text size="sm" c="dimmed">
        no login
      </Text>
    );
  return (
    <Group gap={4}>
      {login.disabled && <Mark color="red">disabled</Mark>}
      {login.role === 'admin' && <Mark variant="filled">admin</Mark>}
      {login.password && <Mark variant="default">password</Mark>}
      {login.oidc && <Mark variant="default">single sign-on</Mark>}
      {login.email && <Text size="xs">{login.email}</Text>}
    </Group>
  );
}

/** The most projects that a row names. */
const namedProjects = 3;

function Roles({ projects }: { projects: UserInfo['projects'] }) {
  if (projects.length === 0) return '–';
  const named = projects.slice(0, namedProjects).map(({ project, role }) => `${project} (${role})`);
  const more = projects.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
