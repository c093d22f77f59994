import { Code, Group, Text } from '@mantine/core';
import type { AccountInfo } from '@model-gateway/admin-api';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { api } from '../api.ts';
import { Facts } from '../layout/facts.tsx';
import { formatTime } from '../layout/format.ts';
import { Page, PageLink, Section } from '../layout/page.tsx';
import { useChanged, useResource } from '../layout/reading.ts';
import { AskFirst, DialogButton, FormDialog } from '../layout/record-form.tsx';
import { SecretOnce } from '../layout/secret-once.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { useRecordForm } from '../layout/use-record-form.ts';
import { inDays } from '../settings-form/expiry-field.tsx';
import { AccountExpiryField, Expiry } from './expiry.tsx';

/** The page of one service account: what it may do and until when, with the buttons to rotate its token and to revoke it. */
export function Account() {
  const { id = '' } = useParams();
  const { value: account, etag, error, reload } = useResource('showAccount', { params: { id } });
  if (!account)
    return (
      <Page title="Service account">
        {error ? <Failed error={error} onRetry={reload} /> : <Loading what="the service account" />}
      </Page>
    );
  const { name, role, projects, prefix, createdAt, lastUsedAt } = account;
  return (
    <Page
      title={name}
      about="A service account"
      actions={
        <PageLink to="/audit" query={{ actor: name, actorKind: 'account' }}>
          Audit log
        </PageLink>
      }
    >
      <Section title="Permissions">
        <Facts
          facts={[
            ['Role', role],
            ['Projects', role === 'admin' ? 'All' : projects.join(', ')],
            ['Token', <Code key="token">{prefix}…</Code>],
            ['Expires', <Expiry key="expires" account={account} />],
            ['Created', formatTime(createdAt)],
            ['Last used', lastUsedAt ? formatTime(lastUsedAt) : 'Never'],
          ]}
        />
      </Section>
      <Group>
        <DialogButton label="Rotate the token">
          {close => <RotationDialog account={account} etag={etag} onClose={close} />}
        </DialogButton>
        <Revocation account={account} />
      </Group>
    </Page>
  );
}

function RotationDialog({
  account: { id, name },
  etag,
  onClose,
}: {
  account: AccountInfo;
  etag: string | null;
  onClose(): void;
}) {
  const { changed } = useChanged();
  const [initial] = useState(() => ({ expiresAt: inDays(90) as string | null }));
  const form = useRecordForm({
    initial,
    isIdempotent: true,
    submit: ({ expiresAt }, { idempotencyKey }) =>
      api.call('rotateAccount', {
        ...{ params: { id }, body: { expiresAt: expiresAt ?? '' } },
        ...{ ifMatch: etag ?? undefined, idempotencyKey },
      }),
    onSaved: changed,
  });
  if (form.saved)
    return (
      <SecretOnce title={`${name} has a new token`} label="token" secret={form.saved.token} onClose={onClose}>
        The old token is refused from now on.
      </SecretOnce>
    );
  return (
    <FormDialog form={form} title={`New token for ${name}`} save="Rotate the token" onClose={onClose}>
      <Text size="sm">The old token stops working at once.</Text>
      <AccountExpiryField {...form.setting('expiresAt')} />
    </FormDialog>
  );
}

function Revocation({ account: { id, name } }: { account: AccountInfo }) {
  const navigate = useNavigate();
  const { forget } = useChanged();
  const revoke = async () => {
    await api.call('revokeAccount', { params: { id } });
    forget();
    navigate('/accounts');
  };
  return (
    <AskFirst label="Revoke" question={`Revoke the service account ${name}?`} onConfirm={revoke}>
      Its token is refused from then on. This cannot be undone.
    </AskFirst>
  );
}
