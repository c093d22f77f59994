import { Button, Group } from '@mantine/core';
import type { ProjectInfo } from '@model-gateway/admin-api';
import { useState } from 'react';
import { FilterText } from '../layout/filter-text.tsx';
import { placeText } from '../layout/managed-by-file.tsx';
import { Mark } from '../layout/mark.tsx';
import { Page } from '../layout/page.tsx';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty } from '../layout/states.tsx';
import { Time } from '../layout/time.tsx';
import { useFilters } from '../layout/use-filters.ts';
import { useRecords } from '../layout/use-records.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { BudgetBar } from '../spending/budget-bar.tsx';
import { type SpentOf, useSpent } from '../spending/use-spent.ts';
import { limitsInShort } from './limits-text.ts';
import { NewProject } from './new-project.tsx';

/** The projects that the user may see, with the part of their budgets that is spent. */
export function ProjectList() {
  const { session } = useSession();
  const { values, set } = useFilters(['name']);
  const list = useRecords<ProjectInfo>('listProjects', { query: values });
  const spentOf = useSpent(
    'project',
    list.records.map(({ budget }) => budget),
  );
  const [making, setMaking] = useState(false);
  const mayMake = may(session, 'setProject');
  return (
    <Page
      title="Projects"
      about="A project has tokens, and what holds for all of them together: limits, a budget, prices and request logging."
      actions={mayMake && <Button onClick={() => setMaking(true)}>Create a project</Button>}
    >
      <FilterText label="Name" value={values.name} onChange={name => set({ name })} />
      <RecordTable
        label="Projects"
        list={list}
        columns={columnsWith(spentOf)}
        keyOf={({ id }) => id}
        to={({ name }) => `/projects/${encodeURIComponent(name)}`}
        empty={<NoProjects filtered={values.name !== ''} mayMake={mayMake} />}
      />
      {making && <NewProject onClose={() => setMaking(false)} />}
    </Page>
  );
}

function columnsWith(spentOf: SpentOf): Column<ProjectInfo>[] {
  return [
    { label: 'Project', render: ({ name }) => name },
    {
      label: 'Budget',
      render: ({ name, budget }) => (
        <BudgetBar label={name} budget={budget} spent={budget && spentOf(name, budget)} />
      ),
    },
    { label: 'Limits', render: ({ limits }) => limitsInShort(limits), wideOnly: true },
    { label: 'Settings', render: project => <Marks project={project} />, wideOnly: true },
    { label: 'Created', render: ({ createdAt }) => <Time at={createdAt} />, wideOnly: true },
  ];
}

/** The settings of a project that change what becomes of its requests. */
function Marks({
  project: { logging, prices, storeResponses, storeErrors, place },
}: {
  project: ProjectInfo;
}) {
  return (
    <Group gap={4}>
      {logging && <Mark>texts logged</Mark>}
      {prices && <Mark>own prices</Mark>}
      {storeResponses === false && <Mark>stores no responses</Mark>}
      {storeErrors === false && <Mark>stores no error messages</Mark>}
      {place && (
        <Mark variant="default" title={`Managed by ${placeText(place)}`}>
          file
        </Mark>
      )}
    </Group>
  );
}

function NoProjects({ filtered, mayMake }: { filtered: boolean; mayMake: boolean }) {
  if (filtered) return <Empty title="No project has this in its name" />;
  return (
    <Empty title="No projects yet">
      {mayMake
        ? 'Create one, or create a token: its project is made with it.'
        : 'You have no role in a project. Ask an admin for one.'}
    </Empty>
  );
}
