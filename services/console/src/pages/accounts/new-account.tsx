import { Select, TagsInput } from '@mantine/core';
import { type AccountRole, accountRoles } from '@model-gateway/admin-api';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../api.ts';
import { useChanged, useResource } from '../layout/reading.ts';
import { FormDialog } from '../layout/record-form.tsx';
import { SecretOnce } from '../layout/secret-once.tsx';
import { messageAt, messageIn } from '../layout/setting-props.ts';
import { useRecordForm } from '../layout/use-record-form.ts';
import { inDays } from '../settings-form/expiry-field.tsx';
import { NameSetting } from '../settings-form/inputs.tsx';
import { AccountExpiryField } from './expiry.tsx';

const about: Record<AccountRole, string> = {
  admin: 'Full access to every project.',
  manager: 'Manages tokens and roles of its projects.',
  viewer: 'Sees its projects and their usage.',
};

/** The settings of a service account. */
interface AccountSettings {
  name: string;
  role: AccountRole;
  projects: string[];
  /** RFC 3339. */
  expiresAt: string | null;
}

/** The dialog that creates a service account and shows its token once. */
export function NewAccount({ onClose }: { onClose(): void }) {
  const { value: known } = useResource('listProjects', { query: { limit: '1000' } });
  const { changed } = useChanged();
  const navigate = useNavigate();
  const [initial] = useState(
    (): AccountSettings => ({ name: '', role: 'viewer', projects: [], expiresAt: inDays(90) }),
  );
  const form = useRecordForm({
    initial,
    isIdempotent: true,
    submit: ({ name, role, projects, expiresAt }, { idempotencyKey }) =>
      api.call('createAccount', {
        body: {
          ...{ name: name.trim(), role, expiresAt: expiresAt ?? '' },
          projects: role === 'admin' ? null : projects,
        },
        idempotencyKey,
      }),
    onSaved: changed,
  });
  const { values, change, setting, errors, saved } = form;
  if (saved)
    return (
      <SecretOnce
        title={`Service account ${saved.name} created`}
        label="token"
        secret={saved.token}
        onClose={() => navigate(`/accounts/${saved.id}`)}
      >
        Programs send it as Authorization: Bearer. The command takes it as GATEWAY_ADMIN_TOKEN.
      </SecretOnce>
    );
  return (
    <FormDialog
      form={form}
      title="Create a service account"
      save="Create the service account"
      onClose={onClose}
    >
      <NameSetting {...setting('name')} />
      <Select
        label="Role"
        description={about[values.role]}
        data={[...accountRoles]}
        value={values.role}
        error={messageAt(errors, ['role'])}
        allowDeselect={false}
        onChange={role => change({ role: (role ?? 'viewer') as AccountRole })}
      />
      {values.role !== 'admin' && (
        <TagsInput
          label="Projects"
          description="The projects in which it has the role."
          data={known?.data.map(({ name }) => name) ?? []}
          value={values.projects}
          error={messageIn(errors, ['projects'])}
          acceptValueOnBlur
          onChange={projects => change({ projects })}
        />
      )}
      <AccountExpiryField {...setting('expiresAt')} />
    </FormDialog>
  );
}
