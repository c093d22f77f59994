import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api.ts';
import { SecretInput } from '../layout/secret-input.tsx';
import { toProblem } from '../problem.ts';
import { useSignedIn } from './use-session.ts';

/** The form to sign in by password. `user` is filled in; `isFirst` is true if there is no other way to sign in. */
export function PasswordForm({
  isFirst,
  user: known = '',
  onSignedIn,
}: {
  isFirst: boolean;
  user?: string;
  onSignedIn?(): void;
}) {
  const [user, setUser] = useState(known);
  const [password, setPassword] = useState('');
  const signedIn = useSignedIn();
  const signIn = useMutation({
    mutationFn: () => api.call('signIn', { body: { user, password } }),
    onSuccess: session => {
      signedIn(session);
      onSignedIn?.();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Sign in by password">
      <Stack gap="sm">
        {signIn.error && <Alert color="red" title={toProblem(signIn.error).message} />}
        <TextInput
          label="User name or email address"
          autoComplete="username"
          autoCapitalize="off"
          spellCheck={false}
          required
          value={user}
          onChange={event => setUser(event.currentTarget.value)}
        />
        <SecretInput
          noun="password"
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={event => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" variant={isFirst ? 'filled' : 'default'} loading={signIn.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
