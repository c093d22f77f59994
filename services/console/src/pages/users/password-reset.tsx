import { Radio, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { passwordCharacters } from '@model-gateway/admin-api';
import { api } from '../api.ts';
import { useChanged } from '../layout/reading.ts';
import { DialogButton, FormDialog } from '../layout/record-form.tsx';
import { SecretInput } from '../layout/secret-input.tsx';
import { SecretOnce } from '../layout/secret-once.tsx';
import { messageAt } from '../layout/setting-props.ts';
import { useRecordForm } from '../layout/use-record-form.ts';

/** The button that gives a user a new password: one that is generated and shown once, or one that is typed. */
export function PasswordReset({ name, hasPassword }: { name: string; hasPassword: boolean }) {
  return (
    <DialogButton label={hasPassword ? 'Reset password' : 'Set a password'}>
      {close => <PasswordDialog name={name} onClose={close} />}
    </DialogButton>
  );
}

function PasswordDialog({ name, onClose }: { name: string; onClose(): void }) {
  const { changed } = useChanged();
  const form = useRecordForm({
    initial: { kind: 'generated', password: '' },
    isIdempotent: true,
    submit: ({ kind, password }, { idempotencyKey }) =>
      api.call('resetPassword', {
        params: { name },
        body: kind === 'typed' ? { password } : {},
        idempotencyKey,
      }),
    onSaved: ({ password }) => {
      if (password === null) {
        notifications.show({ message: `${name} has a new password.` });
        onClose();
      }
      return changed();
    },
  });
  const { values, change, errors, saved } = form;
  if (saved?.password)
    return (
      <SecretOnce
        title={`${name} has a new password`}
        label="password"
        secret={saved.password}
        onClose={onClose}
      >
        Send it to {name}, who should change it after the next sign-in.
      </SecretOnce>
    );
  return (
    <FormDialog form={form} title={`New password for ${name}`} save="Set the password" onClose={onClose}>
      <Text size="sm">{name} will be signed out everywhere, and the old password stops working.</Text>
      <Radio.Group label="Password" value={values.kind} onChange={kind => change({ kind })}>
        <Stack gap="xs" mt={4}>
          <Radio value="generated" label="Generate one, and show it once" />
          <Radio value="typed" label="Enter one" />
        </Stack>
      </Radio.Group>
      {values.kind === 'typed' && (
        <SecretInput
          noun="password"
          label="New password"
          description={`At least ${passwordCharacters.least} characters.`}
          autoComplete="new-password"
          required
          value={values.password}
          error={messageAt(errors, ['password'])}
          onChange={event => change({ password: event.currentTarget.value })}
        />
      )}
    </FormDialog>
  );
}
