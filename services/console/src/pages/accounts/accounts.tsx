import { Button, Select } from '@mantine/core';
import { type AccountInfo, accountRoles } from '@model-gateway/admin-api';
import { useState } from 'react';
import { Route, Routes } from 'react-router';
import { Page } from '../layout/page.tsx';
import { useRecords } from '../layout/reading.ts';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty } from '../layout/states.tsx';
import { Time } from '../layout/time.tsx';
import { useFilters } from '../layout/use-filters.ts';
import { Account } from './account.tsx';
import { Expiry } from './expiry.tsx';
import { NewAccount } from './new-account.tsx';

/** The list of service accounts, and the page of one. */
export function Accounts() {
  return (
    <Routes>
      <Route index element={<AccountList />} />
      <Route path=":id" element={<Account />} />
    </Routes>
  );
}

function AccountList() {
  const { values, set } = useFilters(['role']);
  const list = useRecords<AccountInfo>('listAccounts', { query: values });
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title="Service accounts"
      about="Programs use the admin API with the token of a service account, which always expires."
      actions={<Button onClick={() => setCreating(true)}>Create a service account</Button>}
    >
      <Select
        label="Role"
        size="xs"
        w={160}
        clearable
        placeholder="All"
        data={[...accountRoles]}
        value={values.role || null}
        onChange={role => set({ role: role ?? '' })}
      />
      <RecordTable
        label="Service accounts"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        to={({ id }) => `/accounts/${id}`}
        empty={
          values.role ? (
            <Empty title="No matching service accounts" />
          ) : (
            <Empty title="No service accounts yet">
              Create one for a program that uses the admin API, such as a pipeline. Clients of models use
              tokens instead.
            </Empty>
          )
        }
      />
      {creating && <NewAccount onClose={() => setCreating(false)} />}
    </Page>
  );
}

const columns: readonly Column<AccountInfo>[] = [
  { label: 'Name', render: ({ name }) => name },
  { label: 'Role', render: ({ role }) => role },
  {
    label: 'Projects',
    wideOnly: true,
    render: ({ role, projects }) => (role === 'admin' ? 'All' : projects.join(', ') || '–'),
  },
  { label: 'Expires', render: account => <Expiry account={account} /> },
  { label: 'Last used', render: ({ lastUsedAt }) => <Time at={lastUsedAt} />, wideOnly: true },
  { label: 'Token', render: ({ prefix }) => `${prefix}…`, wideOnly: true },
];
