import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import type { AccountInfo } from '@model-gateway/admin-api';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { api } from '../api.ts';
import { AskFirst } from '../layout/ask-first.tsx';
import { DialogButtons } from '../layout/dialog-buttons.tsx';
import { Facts } from '../layout/facts.tsx';
import { formatTime } from '../layout/format.ts';
import { Page } from '../layout/page.tsx';
import { PageLink } from '../layout/page-link.tsx';
import { SecretOnce } from '../layout/secret-once.tsx';
import { Section } from '../layout/section.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { useIdempotencyKey } from '../layout/use-idempotency-key.ts';
import { useForget, useOutdate, useResource } from '../layout/use-resource.ts';
import { fieldMessages } from '../problem.ts';
import { inDays, timeOf } from './expiry.ts';
import { ExpiryField } from './expiry-field.tsx';
import { Expiry } from './expiry-time.tsx';

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
      <Section title="What it may do">
        <Facts
          facts={[
            ['Role', role],
            ['Projects', role === 'admin' ? 'all' : projects.join(', ')],
            ['Token', <Code key="token">{prefix}…</Code>],
            ['Expires', <Expiry key="expires" account={account} />],
            ['Created', formatTime(createdAt)],
            ['Last used', lastUsedAt ? `${formatTime(lastUsedAt)}, to the minute` : 'never'],
          ]}
        />
      </Section>
      <Group>
        <Rotation account={account} etag={etag} />
        <Revocation account={account} />
      </Group>
    </Page>
  );
}

function Rotation({ account, etag }: { account: AccountInfo; etag: string | null }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={() => setOpened(true)}>
        Rotate the token
      </Button>
      {opened && <RotationDialog account={account} etag={etag} onClose={() => setOpened(false)} />}
    </>
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
  const [expiresAt, setExpiresAt] = useState(() => inDays(90));
  const key = useIdempotencyKey();
  const outdate = useOutdate();
  const rotate = useMutation({
    mutationFn: () => {
      const body = { expiresAt: timeOf(expiresAt) };
      const idempotencyKey = key.keyFor({ ...body, etag });
      return api.call('rotateAccount', { params: { id }, body, ifMatch: etag ?? undefined, idempotencyKey });
    },
    onSuccess: () => outdate('listAccounts', 'showAccount'),
  });
  if (rotate.data)
    return (
      <SecretOnce
        title={`${name} has a new token`}
        label="token"
        secret={rotate.data.token}
        onClose={onClose}
      >
        The old token is refused from now on.
      </SecretOnce>
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rotate.mutate();
  };
  const problem = fieldMessages(rotate.error).expiresAt;
  return (
    <Modal opened onClose={onClose} title={`A new token for ${name}`}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">The old token is refused as soon as the new one is made.</Text>
          {rotate.error && !problem && <Failed error={rotate.error} />}
          <ExpiryField value={expiresAt} onChange={setExpiresAt} error={problem} />
          <DialogButtons label="Make a new token" loading={rotate.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

function Revocation({ account: { id, name } }: { account: AccountInfo }) {
  const navigate = useNavigate();
  const forget = useForget();
  const revoke = async () => {
    await api.call('revokeAccount', { params: { id } });
    forget('listAccounts');
    navigate('/accounts');
  };
  return (
    <AskFirst label="Revoke" question={`Revoke the service account ${name}?`} onConfirm={revoke}>
      Its token is refused from then on. This cannot be undone.
    </AskFirst>
  );
}
