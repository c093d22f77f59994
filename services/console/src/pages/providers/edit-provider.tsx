import { Stack } from '@mantine/core';
import type { ProviderInfo } from '@model-gateway/admin-api';
import { useState } from 'react';
import { useParams } from 'react-router';
import { api } from '../api.ts';
import { CreateButtons } from '../catalog/create-buttons.tsx';
import { useCreate } from '../catalog/use-create.ts';
import { EditButtons } from '../layout/edit-buttons.tsx';
import { ManagedByFile } from '../layout/managed-by-file.tsx';
import { Page } from '../layout/page.tsx';
import { PageLink } from '../layout/page-link.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { useEdit } from '../layout/use-edit.ts';
import { useOutdate, useResource } from '../layout/use-resource.ts';
import { draftOfProvider, newProvider, settingsOfDraft } from './provider-draft.ts';
import { ProviderFields } from './provider-fields.tsx';

/** The page that adds a provider. */
export function NewProvider() {
  const [draft, setDraft] = useState(newProvider);
  const name = draft.name.trim();
  const create = useCreate('provider', name, () => settingsOfDraft(draft));
  return (
    <Page title="Add a provider" about="A server of models. Models can name it as a target once it is saved.">
      <Stack maw={720}>
        <ProviderFields
          draft={draft}
          onChange={part => setDraft(before => ({ ...before, ...part }))}
          errors={create.errors}
          isNew
        />
        <CreateButtons create={create} label="Add the provider" back="/providers" disabled={name === ''} />
      </Stack>
    </Page>
  );
}

/** The page that changes a provider. */
export function EditProvider() {
  const { name = '' } = useParams();
  const { value, etag, error, reload } = useResource('showProvider', { params: { name } });
  return (
    <Page
      title={`Edit ${name}`}
      actions={<PageLink to={`/providers/${encodeURIComponent(name)}`}>Back to the provider</PageLink>}
    >
      {value?.managedBy === 'file' ? (
        <ManagedByFile kind="provider" name={name} place={value.place} />
      ) : value ? (
        <Edit provider={value} etag={etag} />
      ) : error ? (
        <Failed error={error} onRetry={() => void reload()} />
      ) : (
        <Loading what={name} />
      )}
    </Page>
  );
}

function Edit({ provider, etag }: { provider: ProviderInfo; etag: string | null }) {
  const outdate = useOutdate();
  const params = { name: provider.name };
  const edit = useEdit({
    resource: { value: provider, etag },
    draftOf: draftOfProvider,
    read: () => api.callForResource('showProvider', { params }),
    write: (draft, _provider, ifMatch) =>
      api.callForResource('setProvider', { params, body: settingsOfDraft(draft), ifMatch }),
    saved: 'The provider is saved.',
    readAgain: () => outdate('listProviders', 'showProvider', 'showHealth', 'showPrices'),
  });
  return (
    <Stack maw={720}>
      <ProviderFields draft={edit.draft} onChange={edit.change} errors={edit.errors} isNew={false} />
      <EditButtons edit={edit} label="Save" />
    </Stack>
  );
}
