import { Modal, Select, Stack, TagsInput } from '@mantine/core';
import { type AccountRole, accountRoles } from '@model-gateway/admin-api';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../api.ts';
import { DialogButtons } from '../layout/dialog-buttons.tsx';
import { SecretOnce } from '../layout/secret-once.tsx';
import { Failed } from '../layout/states.tsx';
import { useIdempotencyKey } from '../layout/use-idempotency-key.ts';
import { useOutdate, useResource } from '../layout/use-resource.ts';
import { fieldMessages } from '../problem.ts';
import { NameField } from '../settings-form/name-field.tsx';
import { inDays, timeOf } from './expiry.ts';
import { ExpiryField } from './expiry-field.tsx';

interface AccountDraft {
  name: string;
  role: AccountRole;
  projects: string[];
  expiresAt: string;
}

const about: Record<AccountRole, string> = {
  admin: 'May do everything, in every project.',
  manager: 'Hands out tokens and roles of its projects.',
  viewer: 'Sees its projects and their usage.',
};

/** The dialog that creates a service account and shows its token once. */
export function NewAccount({ onClose }: { onClose(): void }) {
  const [draft, setDraft] = useState<AccountDraft>(() => ({
    ...{ name: '', role: 'viewer', projects: [], expiresAt: inDays(90) },
  }));
  const change = (part: Partial<AccountDraft>) => setDraft(before => ({ ...before, ...part }));
  const key = useIdempotencyKey();
  const outdate = useOutdate();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () => {
      const { role, projects } = draft;
      const body = {
        name: draft.name.trim(),
        ...{ role, projects: role === 'admin' ? null : projects, expiresAt: timeOf(draft.expiresAt) },
      };
      return api.call('createAccount', { body, idempotencyKey: key.keyFor(body) });
    },
    onSuccess: () => outdate('listAccounts'),
  });
  if (create.data) {
    const { id, name, token } = create.data;
    return (
      <SecretOnce
        title={`The service account ${name} is created`}
        label="token"
        secret={token}
        onClose={() => navigate(`/accounts/${id}`)}
      >
        Programs send it as Authorization: Bearer. The command takes it as GATEWAY_ADMIN_TOKEN.
      </SecretOnce>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const errors = fieldMessages(create.error);
  return (
    <Modal opened onClose={onClose} title="Create a service account">
      <form onSubmit={submit}>
        <Stack>
          {create.error && Object.keys(errors).length === 0 && <Failed error={create.error} />}
          <AccountFields draft={draft} change={change} errors={errors} />
          <DialogButtons label="Create the service account" loading={create.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

function AccountFields({
  draft,
  change,
  errors,
}: {
  draft: AccountDraft;
  change(part: Partial<AccountDraft>): void;
  errors: Record<string, string>;
}) {
  const { value: known } = useResource('listProjects', { query: { limit: '1000' } });
  const ofProjects = Object.entries(errors).find(([path]) => path.startsWith('projects'))?.[1];
  return (
    <>
      <NameField data-autofocus value={draft.name} error={errors.name} onChange={name => change({ name })} />
      <Select
        label="Role"
        description={about[draft.role]}
        data={[...accountRoles]}
        value={draft.role}
        error={errors.role}
        allowDeselect={false}
        onChange={role => change({ role: (role ?? 'viewer') as AccountRole })}
      />
      {draft.role !== 'admin' && (
        <TagsInput
          label="Projects"
          description="The projects in which it has the role."
          data={known?.data.map(({ name }) => name) ?? []}
          value={draft.projects}
          error={ofProjects}
          acceptValueOnBlur
          onChange={projects => change({ projects })}
        />
      )}
      <ExpiryField
        value={draft.expiresAt}
        error={errors.expiresAt}
        onChange={expiresAt => change({ expiresAt })}
      />
    </>
  );
}
