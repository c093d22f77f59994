import type { ProviderInfo } from '@model-gateway/admin-api';
import { useState } from 'react';
import { useParams } from 'react-router';
import { useSaved } from '../catalog/use-saved.ts';
import { Page } from '../layout/page.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { useResource } from '../layout/use-resource.ts';
import { draftOfProvider, newProvider, settingsOfDraft } from './provider-draft.ts';
import { ProviderForm } from './provider-form.tsx';

/** The page that adds a provider. */
export function NewProvider() {
  const [draft, setDraft] = useState(newProvider);
  const name = draft.name.trim();
  const saved = useSaved({ kind: 'provider', name, body: () => settingsOfDraft(draft), creates: true });
  return (
    <Page title="Add a provider" about="A server of models. Requests can use it a second after it is saved.">
      <ProviderForm draft={draft} onChange={setDraft} saved={saved} isNew back="/providers" />
    </Page>
  );
}

/** The page that changes a provider. */
export function EditProvider() {
  const { name = '' } = useParams();
  const { value, etag, error, reload } = useResource('showProvider', { params: { name } });
  return (
    <Page title={`Edit ${name}`}>
      {value ? (
        <Edit provider={value} etag={etag} reload={reload} />
      ) : error ? (
        <Failed error={error} onRetry={() => void reload()} />
      ) : (
        <Loading what={name} />
      )}
    </Page>
  );
}

function Edit({
  provider,
  etag,
  reload,
}: {
  provider: ProviderInfo;
  etag: string | null;
  reload(): Promise<unknown>;
}) {
  // What is typed stays while the resource is read again; the ETag is that of the state which the form began with.
  const [begun, setBegun] = useState({ provider, etag });
  const [draft, setDraft] = useState(() => draftOfProvider(provider));
  const { name } = provider;
  const saved = useSaved({
    kind: 'provider',
    name,
    body: () => settingsOfDraft(draft),
    etag: begun.etag,
    async onReload() {
      await reload();
    },
  });
  const isStale = begun.etag !== etag && saved.wantsReload;
  if (isStale) {
    setBegun({ provider, etag });
    setDraft(draftOfProvider(provider));
    saved.reloaded();
  }
  return (
    <ProviderForm
      draft={draft}
      onChange={setDraft}
      saved={saved}
      isNew={false}
      back={`/providers/${encodeURIComponent(name)}`}
    />
  );
}
