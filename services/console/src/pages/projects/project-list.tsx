import { Button, Group } from '@mantine/core';
import type { ProjectInfo } from '@model-gateway/admin-api';
import { useState } from 'react';
import { FilterText } from '../layout/filter-text.tsx';
import { Mark } from '../layout/mark.tsx';
import { Page } from '../layout/page.tsx';
import { useRecords } from '../layout/reading.ts';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty } from '../layout/states.tsx';
import { Time } from '../layout/time.tsx';
import { useFilters } from '../layout/use-filters.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { limitsInShort } from '../settings-form/limits-table.tsx';
import { placeText } from '../settings-form/managed-by-file.tsx';
import { BudgetBar } from '../spending/budget-bar.tsx';
import { type SpentOf, useSpent } from '../spending/use-spent.ts';
import { NewProject } from './project-form.tsx';

/** The projects that the user may see, with the part of their budgets that is spent. */
export function ProjectList() {
  const { session } = useSession();
  const { values, set } = useFilters(['name']);
  const list = useRecords<ProjectInfo>('listProjects', { query: values });
  const spentOf = useSpent(
    'project',
    list.records.map(({ budget }) => budget),
  );
  const [creating, setCreating] = useState(false);
  const mayCreate = may(session, 'setProject');
  return (
    <Page
      title="Projects"
      about="A project groups tokens, and has what they share: limits, a budget, prices and request logging."
      actions={mayCreate && <Button onClick={() => setCreating(true)}>Create a project</Button>}
    >
      <FilterText label="Name" value={values.name} onChange={name => set({ name })} />
      <RecordTable
        label="Projects"
        list={list}
        columns={columnsWith(spentOf)}
        keyOf={({ id }) => id}
        to={({ name }) => `/projects/${encodeURIComponent(name)}`}
        empty={<NoProjects filtered={values.name !== ''} mayCreate={mayCreate} />}
      />
      {creating && <NewProject onClose={() => setCreating(false)} />}
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

/** The settings of a project that change how its requests are handled. */
function Marks({
  project: { logging, prices, storeResponses, storeErrors, place },
}: {
  project: ProjectInfo;
}) {
  return (
    <Group gap={4}>
      {logging && <Mark>request logging</Mark>}
      {prices && <Mark>custom prices</Mark>}
      {storeResponses === false && <Mark>no stored responses</Mark>}
      {storeErrors === false && <Mark>no stored errors</Mark>}
      {place && (
        <Mark variant="default" title={`Managed by ${placeText(place)}`}>
          file
        </Mark>
      )}
    </Group>
  );
}

function NoProjects({ filtered, mayCreate }: { filtered: boolean; mayCreate: boolean }) {
  if (filtered) return <Empty title="No matching projects" />;
  return (
    <Empty title="No projects yet">
      {mayCreate
        ? 'Create one, or create a token, which creates its project.'
        : 'You have no role in a project. Ask an admin for one.'}
    </Empty>
  );
}
