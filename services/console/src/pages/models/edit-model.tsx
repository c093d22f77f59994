import { Stack } from '@mantine/core';
import type { ModelInfo } from '@model-gateway/admin-api';
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
import { draftOfModel, newModel, settingsOfDraft } from './model-draft.ts';
import { ModelFields } from './model-fields.tsx';

/** The page that adds a model. */
export function NewModel() {
  const [draft, setDraft] = useState(newModel);
  const name = draft.name.trim();
  const create = useCreate('model', name, () => settingsOfDraft(draft));
  return (
    <Page
      title="Add a model"
      about="A name that clients ask for. Requests can use it a second after it is saved."
    >
      <Stack maw={720}>
        <ModelFields
          draft={draft}
          onChange={part => setDraft(before => ({ ...before, ...part }))}
          errors={create.errors}
          isNew
        />
        <CreateButtons create={create} label="Add the model" back="/models" disabled={name === ''} />
      </Stack>
    </Page>
  );
}

/** The page that changes a model. */
export function EditModel() {
  const { name = '' } = useParams();
  const { value, etag, error, reload } = useResource('showCatalogModel', { params: { name } });
  return (
    <Page
      title={`Edit ${name}`}
      actions={<PageLink to={`/models/${encodeURIComponent(name)}`}>Back to the model</PageLink>}
    >
      {value?.managedBy === 'file' ? (
        <ManagedByFile kind="model" name={name} place={value.place} />
      ) : value ? (
        <Edit model={value} etag={etag} />
      ) : error ? (
        <Failed error={error} onRetry={() => void reload()} />
      ) : (
        <Loading what={name} />
      )}
    </Page>
  );
}

function Edit({ model, etag }: { model: ModelInfo; etag: string | null }) {
  const outdate = useOutdate();
  const params = { name: model.name };
  const edit = useEdit({
    resource: { value: model, etag },
    draftOf: draftOfModel,
    read: () => api.callForResource('showCatalogModel', { params }),
    write: (draft, _model, ifMatch) =>
      api.callForResource('setModel', { params, body: settingsOfDraft(draft), ifMatch }),
    saved: 'The model is saved.',
    readAgain: () => outdate('listCatalogModels', 'showCatalogModel', 'showHealth', 'showPrices'),
  });
  return (
    <Stack maw={720}>
      <ModelFields draft={edit.draft} onChange={edit.change} errors={edit.errors} isNew={false} />
      <EditButtons edit={edit} label="Save" />
    </Stack>
  );
}
