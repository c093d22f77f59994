import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../api.ts';
import { useChanged } from '../layout/reading.ts';
import { FormDialog } from '../layout/record-form.tsx';
import { SecretOnce } from '../layout/secret-once.tsx';
import { useRecordForm } from '../layout/use-record-form.ts';
import { NameSetting } from '../settings-form/inputs.tsx';

/** The dialog that creates a user, with a password if the user shall sign in by one. */
export function NewUser({ onClose }: { onClose(): void }) {
  const [created, setCreated] = useState(false);
  const { changed } = useChanged();
  const navigate = useNavigate();
  const form = useRecordForm({
    initial: { name: '', withPassword: true },
    isTaken: 'There is a user with this name already.',
    submit: async ({ name, withPassword }, { idempotencyKey }) => {
      const params = { name: name.trim() };
      // If the password could not be created, the user is there already when it is tried again.
      if (!created) await api.call('setUser', { params, body: {}, createOnly: true });
      setCreated(true);
      if (!withPassword) return { password: null };
      return api.call('resetPassword', { params, body: {}, idempotencyKey });
    },
    onSaved: async ({ password }) => {
      await changed();
      if (password === null) open();
    },
  });
  const name = form.values.name.trim();
  const open = () => navigate(`/users/${encodeURIComponent(name)}`);
  const secret = form.saved?.password;
  if (secret)
    return (
      <SecretOnce title={`User ${name} created`} label="password" secret={secret} onClose={open}>
        {name} signs in with it, and should change it under Account afterwards.
      </SecretOnce>
    );
  return (
    <FormDialog form={form} title="Create a user" save="Create the user" onClose={onClose}>
      <NameSetting
        {...form.setting('name')}
        description="The user signs in with it. It cannot be changed later."
        disabled={created}
      />
      <Checkbox
        label="Generate a password"
        description="Shown once. Not needed with single sign-on."
        checked={form.values.withPassword}
        onChange={event => form.change({ withPassword: event.currentTarget.checked })}
      />
    </FormDialog>
  );
}
