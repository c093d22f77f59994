import { Button, Tooltip } from '@mantine/core';
import type { ModelInfo, ProviderInfo } from '@model-gateway/admin-api';
import { Link, useNavigate } from 'react-router';
import { api } from '../api.ts';
import { AskFirst } from '../layout/ask-first.tsx';
import { useOutdate } from '../layout/use-resource.ts';

/** The buttons that edit and delete an entry. One of gateway.yaml is edited there. */
export function EntryActions({
  kind,
  entry: { name, managedBy, place, overridden },
  etag,
}: {
  kind: 'provider' | 'model';
  entry: ModelInfo | ProviderInfo;
  etag: string | null;
}) {
  const outdate = useOutdate();
  const navigate = useNavigate();
  const isFile = managedBy === 'file';
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
      {isFile ? (
        <Tooltip label={`gateway.yaml states it, at ${place}. Change it there.`}>
          <Button size="compact-sm" variant="default" data-disabled aria-disabled="true">
            Edit
          </Button>
        </Tooltip>
      ) : (
        <Button
          component={Link}
          to={`${list}/${encodeURIComponent(name)}/edit`}
          size="compact-sm"
          variant="default"
        >
          Edit
        </Button>
      )}
      {(managedBy === 'api' || overridden) && (
        <AskFirst label="Delete" question={`Delete the ${kind} ${name}?`} onConfirm={remove}>
          {overridden
            ? `This deletes the entry of the API. The ${kind} of gateway.yaml stays.`
            : `Requests cannot use this ${kind} a second later. This cannot be undone.`}
        </AskFirst>
      )}
    </>
  );
}
