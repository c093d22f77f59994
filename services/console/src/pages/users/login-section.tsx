import { Checkbox, Group, Stack, Switch, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { LoginChange, UserInfo } from '@model-gateway/admin-api';
import { useState } from 'react';
import { api } from '../api.ts';
import { Facts } from '../layout/facts.tsx';
import { formatTime } from '../layout/format.ts';
import { Section } from '../layout/page.tsx';
import { useChanged } from '../layout/reading.ts';
import { AskFirst, FormPage } from '../layout/record-form.tsx';
import { changesOf, useRecordForm } from '../layout/use-record-form.ts';
import { TextSetting } from '../settings-form/inputs.tsx';
import { PasswordReset } from './password-reset.tsx';

/** A user as it was read. */
export interface UserProps {
  user: UserInfo;
  etag: string | null;
  reload(): Promise<unknown>;
}

/** The way in which a user signs in, with what an admin may change of it. */
export function LoginSection(props: UserProps) {
  const { user } = props;
  const { name, login } = user;
  return (
    <Section title="Sign-in">
      <Stack gap="sm">
        {login ? (
          <Facts
            facts={[
              ['Password', login.password ? 'Set' : 'Not set'],
              ['Single sign-on', login.oidc ? 'Linked' : 'Not linked'],
              ['Last sign-in', login.lastSignInAt ? formatTime(login.lastSignInAt) : 'Never'],
            ]}
          />
        ) : (
          <Text size="sm">
            {name} cannot sign in yet. Set a password, or the email address of an identity at the OpenID
            provider.
          </Text>
        )}
        <LoginForm key={name} {...props} />
        <Group gap="xs">
          <PasswordReset name={name} hasPassword={login?.password ?? false} />
          {login?.oidc && <Unlink name={name} />}
          {login && <RemoveLogin name={name} />}
        </Group>
      </Stack>
    </Section>
  );
}

/** Returns what a form of a login has. */
function loginOf({ login }: UserInfo) {
  return {
    email: login?.email ?? null,
    role: login?.role === 'admin' ? ('admin' as const) : null,
    disabled: login?.disabled ?? false,
  };
}

function LoginForm({ user, etag, reload }: UserProps) {
  const params = { name: user.name };
  const [alsoTokens, setAlsoTokens] = useState(false);
  const { changed, written } = useChanged();
  const form = useRecordForm({
    initial: loginOf(user),
    ...{ etag, reload },
    submit: (login, { before, ifMatch }) => {
      const body: LoginChange = {
        ...changesOf(before, login),
        ...(login.disabled && alsoTokens && { tokens: 'disable' }),
      };
      return api.callForResource('changeLogin', { params, body, ifMatch });
    },
    onSaved: saved => {
      written('showUser', params, saved);
      notifications.show({ message: `The sign-in of ${user.name} is saved.` });
      return changed();
    },
  });
  const { values, change, setting } = form;
  return (
    <FormPage form={form} label="Sign-in" save="Save the sign-in">
      <TextSetting
        {...setting('email')}
        label="Email address"
        description="Can be used to sign in, and links the identity of single sign-on."
        type="email"
      />
      <Switch
        label="Admin of the whole installation"
        checked={values.role === 'admin'}
        onChange={event => change({ role: event.currentTarget.checked ? 'admin' : null })}
      />
      <Switch
        label="Sign-in disabled"
        description="A disabled user is signed out everywhere."
        checked={values.disabled}
        onChange={event => change({ disabled: event.currentTarget.checked })}
      />
      {values.disabled && !user.login?.disabled && (
        <Checkbox
          ml="xl"
          label="Also disable all tokens of the user"
          checked={alsoTokens}
          onChange={event => setAlsoTokens(event.currentTarget.checked)}
        />
      )}
    </FormPage>
  );
}

function Unlink({ name }: { name: string }) {
  const { changed } = useChanged();
  const unlink = async () => {
    await api.call('changeLogin', { params: { name }, body: { oidc: null } });
    await changed();
  };
  return (
    <AskFirst label="Unlink single sign-on" question={`Unlink the identity of ${name}?`} onConfirm={unlink}>
      {name} is signed out. The next identity at the OpenID provider with the user's email address is linked
      instead.
    </AskFirst>
  );
}

function RemoveLogin({ name }: { name: string }) {
  const [disable, setDisable] = useState(false);
  const { changed } = useChanged();
  const remove = async () => {
    await api.call('removeLogin', { params: { name }, query: { tokens: disable ? 'disable' : 'keep' } });
    await changed();
  };
  return (
    <AskFirst label="Remove the login" question={`Remove the login of ${name}?`} onConfirm={remove}>
      <Stack gap="sm">
        <Text size="sm">
          {name} is signed out and can no longer sign in. Roles in projects stay, and tokens of {name} keep
          working unless they are disabled.
        </Text>
        <Checkbox
          label={`Also disable all tokens of ${name}`}
          checked={disable}
          onChange={event => setDisable(event.currentTarget.checked)}
        />
      </Stack>
    </AskFirst>
  );
}
