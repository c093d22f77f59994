import { Button, Modal, Radio, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { passwordCharacters } from '@model-gateway/admin-api';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api.ts';
import { DialogButtons } from '../layout/dialog-buttons.tsx';
import { SecretInput } from '../layout/secret-input.tsx';
import { SecretOnce } from '../layout/secret-once.tsx';
import { Failed } from '../layout/states.tsx';
import { useIdempotencyKey } from '../layout/use-idempotency-key.ts';
import { useOutdate } from '../layout/use-resource.ts';
import { fieldMessages } from '../problem.ts';

/** The button that gives a user a new password: one that is made and shown once, or one that is typed. */
export function PasswordReset({ name, hasPassword }: { name: string; hasPassword: boolean }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setOpened(true)}>
        {hasPassword ? 'Reset the password' : 'Make a password'}
      </Button>
      {opened && <PasswordDialog name={name} onClose={() => setOpened(false)} />}
    </>
  );
}

function PasswordDialog({ name, onClose }: { name: string; onClose(): void }) {
  const [way, setWay] = useState<'made' | 'typed'>('made');
  const [password, setPassword] = useState('');
  const key = useIdempotencyKey();
  const outdate = useOutdate();
  const reset = useMutation({
    mutationFn: () => {
      const body = way === 'typed' ? { password } : {};
      return api.call('resetPassword', { params: { name }, body, idempotencyKey: key.keyFor(body) });
    },
    onSuccess: ({ password }) => {
      if (password === null) {
        notifications.show({ message: `${name} has a new password.` });
        onClose();
      }
      return outdate('showUser', 'listUsers');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    reset.mutate();
  };
  if (reset.data?.password)
    return (
      <SecretOnce
        title={`${name} has a new password`}
        label="password"
        secret={reset.data.password}
        onClose={onClose}
      >
        Tell it to {name}, who should change it after the next sign-in.
      </SecretOnce>
    );
  const problem = fieldMessages(reset.error).password;
  return (
    <Modal opened onClose={onClose} title={`A new password for ${name}`}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{name} is signed out everywhere, and the old password does not work any more.</Text>
          {reset.error && !problem && <Failed error={reset.error} />}
          <Radio.Group label="Password" value={way} onChange={chosen => setWay(chosen as 'made' | 'typed')}>
            <Stack gap="xs" mt={4}>
              <Radio value="made" label="Make one, and show it once" />
              <Radio value="typed" label="Type one" />
            </Stack>
          </Radio.Group>
          {way === 'typed' && (
            <SecretInput
              noun="password"
              label="New password"
              description={`At least ${passwordCharacters.least} characters.`}
              autoComplete="new-password"
              required
              value={password}
              error={problem}
              onChange={event => setPassword(event.currentTarget.value)}
            />
          )}
          <DialogButtons label="Set the password" loading={reset.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
