import { Button } from '@mantine/core';
import { Link, useNavigate } from 'react-router';
import { api } from '../api.ts';
import { useChanged } from '../layout/reading.ts';
import { AskFirst } from '../layout/record-form.tsx';
import { type EntryInfo, type EntryKind, entryKinds } from './entry-form.tsx';

/** The buttons that edit and delete an entry. The page of the first says how one of gateway.yaml is changed. */
export function EntryActions({
  kind,
  entry: { name, managedBy },
  etag,
}: {
  kind: EntryKind;
  entry: EntryInfo;
  etag: string | null;
}) {
  const { forget } = useChanged();
  const { remove: endpoint, list } = entryKinds[kind];
  const navigate = useNavigate();
  const remove = async () => {
    await api.call(endpoint, { params: { name }, ifMatch: etag ?? undefined });
    forget();
    navigate(list);
  };
  return (
    <>
      <Button
        component={Link}
        to={`${list}/${encodeURIComponent(name)}/edit`}
        size="compact-sm"
        variant="default"
      >
        Edit
      </Button>
      {managedBy === 'api' && (
        <AskFirst label="Delete" question={`Delete the ${kind} ${name}?`} onConfirm={remove}>
          Requests can no longer use this {kind}. This cannot be undone.
        </AskFirst>
      )}
    </>
  );
}
