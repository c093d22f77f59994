import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { api } from '../api.ts';
import { FormElement } from '../layout/record-form.tsx';
import { SecretInput } from '../layout/secret-input.tsx';
import { useRecordForm } from '../layout/use-record-form.ts';
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
  const signedIn = useSignedIn();
  const form = useRecordForm({
    initial: { user: known, password: '' },
    submit: body => api.call('signIn', { body }),
    onSaved: session => {
      signedIn(session);
      onSignedIn?.();
    },
    warns: false,
  });
  const { values, change, error, saving } = form;
  return (
    <FormElement form={form} label="Sign in with a password">
      <Stack gap="sm">
        {error ? <Alert color="red" title={toProblem(error).message} /> : null}
        <TextInput
          label="User name or email address"
          autoComplete="username"
          autoCapitalize="off"
          spellCheck={false}
          required
          value={values.user}
          onChange={event => change({ user: event.currentTarget.value })}
        />
        <SecretInput
          noun="password"
          label="Password"
          autoComplete="current-password"
          required
          value={values.password}
          onChange={event => change({ password: event.currentTarget.value })}
        />
        <Button type="submit" variant={isFirst ? 'filled' : 'default'} loading={saving}>
          Sign in
        </Button>
      </Stack>
    </FormElement>
  );
}
