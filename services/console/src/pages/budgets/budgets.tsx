import { SegmentedControl, Text } from '@mantine/core';
import type { ProjectInfo, TokenInfo, UserInfo } from '@model-gateway/admin-api';
import { Page } from '../layout/page.tsx';
import { useFilters } from '../layout/use-filters.ts';
import { useRecords } from '../layout/use-records.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { BudgetTable } from './budget-table.tsx';
import { Notices } from './notices.tsx';

/** The most records of a page of a list. The page of budgets reads whole lists. */
const largest = '1000';

/** The budgets of projects, users and tokens at a glance, with the one that is nearest to its end first. */
export function Budgets() {
  const { session } = useSession();
  const { values, set } = useFilters(['of']);
  const seesUsers = may(session, 'listUsers');
  const of = values.of === 'tokens' || (values.of === 'users' && seesUsers) ? values.of : 'projects';
  return (
    <Page
      title="Budgets"
      about="What was spent of each budget in its period, as the ledger has it. Running requests are not in it yet."
    >
      <SegmentedControl
        aria-label="Budgets of"
        style={{ alignSelf: 'flex-start' }}
        size="xs"
        value={of}
        onChange={chosen => set({ of: chosen === 'projects' ? '' : chosen })}
        transitionDuration={0}
        data={[
          { value: 'projects', label: 'Projects' },
          ...(seesUsers ? [{ value: 'users', label: 'Users' }] : []),
          { value: 'tokens', label: 'Tokens' },
        ]}
      />
      {of === 'projects' && <OfProjects />}
      {of === 'users' && <OfUsers />}
      {of === 'tokens' && <OfTokens />}
      {session?.role === 'admin' && <Notices />}
      <Text size="xs" c="dimmed">
        Periods are those of the calendar in UTC, and weeks start on Monday.
      </Text>
    </Page>
  );
}

function OfProjects() {
  const list = useRecords<ProjectInfo>('listProjects', { query: { limit: largest } });
  return (
    <BudgetTable
      label="Budgets of projects"
      by="project"
      list={list}
      show={({ name, budget }) => ({ key: name, name, budget, to: `/projects/${encodeURIComponent(name)}` })}
    />
  );
}

function OfUsers() {
  const list = useRecords<UserInfo>('listUsers', { query: { limit: largest } });
  return (
    <BudgetTable
      label="Budgets of users"
      by="owner"
      list={list}
      show={({ name, budget }) => ({ key: name, name, budget, to: `/users/${encodeURIComponent(name)}` })}
    />
  );
}

function OfTokens() {
  const list = useRecords<TokenInfo>('listTokens', { query: { limit: largest } });
  return (
    <BudgetTable
      label="Budgets of tokens"
      by="token"
      list={list}
      show={({ id, name, budget }) => ({ key: id, name, budget, to: `/tokens/${id}` })}
    />
  );
}
