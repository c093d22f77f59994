import { notifications } from '@mantine/notifications';
import type { ModelInfo, ProviderInfo } from '@model-gateway/admin-api';
import type { ComponentType, ReactNode } from 'react';
import { useNavigate, useParams } from 'react-router';
import { api } from '../api.ts';
import { Page, PageLink } from '../layout/page.tsx';
import { useChanged, useResource } from '../layout/reading.ts';
import { FormPage } from '../layout/record-form.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { type RecordForm, useRecordForm } from '../layout/use-record-form.ts';
import { ManagedByFile } from '../settings-form/managed-by-file.tsx';

/** The endpoints and the list of a kind of entries. */
export const entryKinds = {
  provider: { show: 'showProvider', set: 'setProvider', remove: 'deleteProvider', list: '/providers' },
  model: { show: 'showCatalogModel', set: 'setModel', remove: 'deleteModel', list: '/models' },
} as const;
export type EntryKind = keyof typeof entryKinds;

export type EntryInfo = ModelInfo | ProviderInfo;

interface Named {
  name?: string | undefined;
}

type Fields<Settings> = ComponentType<{ form: RecordForm<Settings>; isNew: boolean }>;

/** The page that adds an entry to the catalog. */
export function NewEntry<Settings extends Named>({
  kind,
  about,
  blank,
  Fields,
}: {
  kind: EntryKind;
  about: ReactNode;
  /** The settings that the form begins with. */
  blank: Settings;
  Fields: Fields<Settings>;
}) {
  const { set, list } = entryKinds[kind];
  const navigate = useNavigate();
  const { forget } = useChanged();
  const form = useRecordForm({
    initial: blank,
    isTaken: `There is a ${kind} with this name. Choose another one.`,
    submit: settings => {
      const name = settings.name?.trim() ?? '';
      return api.call(set, { params: { name }, body: { ...settings, name }, createOnly: true });
    },
    onSaved: ({ name }) => {
      forget();
      navigate(`${list}/${encodeURIComponent(name)}`);
    },
  });
  return (
    <Page title={`Add a ${kind}`} about={about}>
      <FormPage
        form={form}
        label={`New ${kind}`}
        save={`Add the ${kind}`}
        cancelTo={list}
        disabled={!form.values.name?.trim()}
      >
        <Fields form={form} isNew />
      </FormPage>
    </Page>
  );
}

interface EditProps<Info extends EntryInfo, Settings> {
  kind: EntryKind;
  settingsOf(entry: Info): Settings;
  Fields: Fields<Settings>;
}

/** The page that changes an entry of the catalog. */
export function EditEntry<Info extends EntryInfo, Settings extends Named>(props: EditProps<Info, Settings>) {
  const { kind } = props;
  const { show, list } = entryKinds[kind];
  const { name = '' } = useParams();
  const { value, etag, error, reload } = useResource<typeof show>(show, { params: { name } });
  return (
    <Page
      title={`Edit ${name}`}
      actions={<PageLink to={`${list}/${encodeURIComponent(name)}`}>{`Back to the ${kind}`}</PageLink>}
    >
      {value?.managedBy === 'file' ? (
        <ManagedByFile kind={kind} name={name} place={value.place} />
      ) : value ? (
        <Edit {...props} entry={value as Info} etag={etag} reload={reload} />
      ) : error ? (
        <Failed error={error} onRetry={() => void reload()} />
      ) : (
        <Loading what={name} />
      )}
    </Page>
  );
}

function Edit<Info extends EntryInfo, Settings extends Named>({
  kind,
  settingsOf,
  Fields,
  entry,
  etag,
  reload,
}: EditProps<Info, Settings> & { entry: Info; etag: string | null; reload(): Promise<unknown> }) {
  const { show, set } = entryKinds[kind];
  const params = { name: entry.name };
  const { changed, written } = useChanged();
  const form = useRecordForm({
    initial: settingsOf(entry),
    ...{ etag, reload },
    submit: (settings, { ifMatch }) => api.callForResource(set, { params, body: settings, ifMatch }),
    onSaved: saved => {
      written(show, params, saved);
      notifications.show({ message: `The ${kind} is saved.` });
      return changed();
    },
  });
  return (
    <FormPage form={form} label={`Edit ${entry.name}`} save="Save">
      <Fields form={form} isNew={false} />
    </FormPage>
  );
}
