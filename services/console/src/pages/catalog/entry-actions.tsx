import { Button } from '@mantine/core';
import type { ModelInfo, ProviderInfo } from '@model-gateway/admin-api';
import { Link, useNavigate } from 'react-router';
import { api } from '../api.ts';
import { AskFirst } from '../layout/ask-first.tsx';
import { useOutdate } from '../layout/use-resource.ts';

/** The buttons that edit and delete an entry. The page of the first says how one of gateway.yaml is changed. */
export function EntryActions({
  kind,
  entry: { name, managedBy },
  etag,
}: {
  kind: 'provider' | 'model';
  entry: ModelInfo | ProviderInfo;
  etag: string | null;
}) {
  const outdate = useOutdate();
  const navigate = useNavigate();
  const list = `/${kind}s`;
  const remove = async () => {
    await api.call(kind === 'provider' ? 'deleteProvider' : 'deleteModel', {
      params: { name },
      ifMatch: etag ?? undefined,
    });
    await outdate('listProviders', 'listCatalogModels', 'showHealth');
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
          Requests cannot use this {kind} a second later. This cannot be undone.
        </AskFirst>
      )}
    </>
  );
}
