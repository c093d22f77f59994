import { SegmentedControl, Text } from '@mantine/core';
import type { ProjectInfo, TokenInfo, UserInfo } from '@model-gateway/admin-api';
import { Page } from '../layout/page.tsx';
import { useRecords, useResource } from '../layout/reading.ts';
import { useFilters } from '../layout/use-filters.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { BudgetTable } from './budget-table.tsx';

/** The budgets of projects, users and tokens at a glance, with the one that is nearest to its end first. */
export function Budgets() {
  const { session } = useSession();
  const { values, set } = useFilters(['of']);
  const seesUsers = may(session, 'listUsers');
  const of = values.of === 'tokens' || (values.of === 'users' && seesUsers) ? values.of : 'projects';
  return (
    <Page
      title="Budgets"
      about="The spend of each budget in its current period. Running requests are not included yet."
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
        Calendar periods in UTC. Weeks start on Monday.
      </Text>
    </Page>
  );
}

/** Reads a whole list, a thousand records at a time. */
function useWhole<Item>(name: 'listProjects' | 'listUsers' | 'listTokens') {
  return useRecords<Item>(name, { query: { limit: '1000' }, whole: true });
}

function OfProjects() {
  return (
    <BudgetTable
      label="Budgets of projects"
      by="project"
      list={useWhole<ProjectInfo>('listProjects')}
      show={({ name, budget }) => ({ key: name, name, budget, to: `/projects/${encodeURIComponent(name)}` })}
    />
  );
}

function OfUsers() {
  return (
    <BudgetTable
      label="Budgets of users"
      by="owner"
      list={useWhole<UserInfo>('listUsers')}
      show={({ name, budget }) => ({ key: name, name, budget, to: `/users/${encodeURIComponent(name)}` })}
    />
  );
}

function OfTokens() {
  return (
    <BudgetTable
      label="Budgets of tokens"
      by="token"
      list={useWhole<TokenInfo>('listTokens')}
      show={({ id, name, budget }) => ({ key: id, name, budget, to: `/tokens/${id}` })}
    />
  );
}

/** The default of control. */
const usualThresholds = '50,80,100';

/** The receivers of notices of spent budgets, by the settings of control. */
function Notices() {
  const { value } = useResource('showSettings');
  const settingOf = (name: string) => value?.data.find(setting => setting.name === name)?.value;
  if (!value) return null;
  const thresholds = settingOf('GATEWAY_BUDGET_THRESHOLDS') ?? usualThresholds;
  const percent = thresholds.split(',').join(', ');
  return (
    <Text size="xs" c="dimmed">
      {settingOf('GATEWAY_BUDGET_WEBHOOK')
        ? `Notices are sent to the webhook, and written to the log, at ${percent} percent.`
        : `Notices are written to the log at ${percent} percent. Set GATEWAY_BUDGET_WEBHOOK to have them sent as well.`}
    </Text>
  );
}
