import { Checkbox, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../api.ts';
import { nameProblem } from '../layout/change-failed.tsx';
import { DialogButtons } from '../layout/dialog-buttons.tsx';
import { SecretOnce } from '../layout/secret-once.tsx';
import { Failed } from '../layout/states.tsx';
import { useIdempotencyKey } from '../layout/use-idempotency-key.ts';
import { useOutdate } from '../layout/use-resource.ts';
import { NameField } from '../settings-form/name-field.tsx';

/** The dialog that creates a user, with a password if the user shall sign in by one. */
export function NewUser({ onClose }: { onClose(): void }) {
  const [typed, setName] = useState('');
  const [withPassword, setWithPassword] = useState(true);
  const [made, setMade] = useState(false);
  const name = typed.trim();
  const key = useIdempotencyKey();
  const outdate = useOutdate();
  const navigate = useNavigate();
  const open = () => navigate(`/users/${encodeURIComponent(name)}`);
  const create = useMutation({
    mutationFn: async () => {
      const params = { name };
      // If the password could not be made, the user is there already when it is tried again.
      if (!made) await api.call('setUser', { params, body: {}, createOnly: true });
      setMade(true);
      if (!withPassword) return { password: null };
      return api.call('resetPassword', { params, body: {}, idempotencyKey: key.keyFor(params) });
    },
    onSuccess: ({ password }) => (password === null ? open() : undefined),
    onSettled: () => outdate('listUsers'),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const secret = create.data?.password;
  if (secret)
    return (
      <SecretOnce title={`The user ${name} is created`} label="password" secret={secret} onClose={open}>
        {name} signs in with it, and should then change it in the menu with the name, at Account.
      </SecretOnce>
    );
  const problem = nameProblem(create.error, 'user');
  return (
    <Modal opened onClose={onClose} title="Create a user">
      <form onSubmit={submit}>
        <Stack>
          {create.error && !problem && <Failed error={create.error} />}
          <NameField
            description="The user signs in by it. It cannot be changed later."
            data-autofocus
            disabled={made}
            value={typed}
            error={problem}
            onChange={setName}
          />
          <Checkbox
            label="Make a password"
            description="It is shown once. Users of single sign-on need none."
            checked={withPassword}
            onChange={event => setWithPassword(event.currentTarget.checked)}
          />
          <DialogButtons label="Create the user" loading={create.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
