import { Checkbox, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import type { LoginChange, UserInfo } from '@model-gateway/admin-api';
import { useState } from 'react';
import { api } from '../api.ts';
import { AskFirst } from '../layout/ask-first.tsx';
import { EditButtons } from '../layout/edit-buttons.tsx';
import { Facts } from '../layout/facts.tsx';
import { formatTime } from '../layout/format.ts';
import { Section } from '../layout/section.tsx';
import { type Edit, useEdit } from '../layout/use-edit.ts';
import { useOutdate, useWritten } from '../layout/use-resource.ts';
import { PasswordReset } from './password-reset.tsx';

/** The way in which a user signs in, with what an admin may change of it. */
export function LoginSection({ user, etag }: { user: UserInfo; etag: string | null }) {
  const { name, login } = user;
  return (
    <Section title="Sign-in">
      <Stack gap="sm">
        {login ? (
          <Facts
            facts={[
              ['By password', login.password ? 'yes' : 'no'],
              ['By single sign-on', login.oidc ? 'yes' : 'no identity is linked'],
              ['Last sign-in', login.lastSignInAt ? formatTime(login.lastSignInAt) : 'never'],
            ]}
          />
        ) : (
          <Text size="sm">
            {name} cannot sign in yet. Make a password, or set the email address of an identity at the OpenID
            provider.
          </Text>
        )}
        <LoginForm key={name} user={user} etag={etag} />
        <Group gap="xs">
          <PasswordReset name={name} hasPassword={login?.password ?? false} />
          {login?.oidc && <Unlink name={name} />}
          {login && <RemoveLogin name={name} />}
        </Group>
      </Stack>
    </Section>
  );
}

interface LoginDraft {
  email: string;
  admin: boolean;
  disabled: boolean;
  /** Disables the tokens of the user as well. */
  tokens: boolean;
}

function draftOf({ login }: UserInfo): LoginDraft {
  return {
    email: login?.email ?? '',
    admin: login?.role === 'admin',
    disabled: login?.disabled ?? false,
    tokens: false,
  };
}

/** Returns the fields of a login that a form changes. */
function changeOf({ email, admin, disabled, tokens }: LoginDraft, user: UserInfo): LoginChange {
  const old = draftOf(user);
  return {
    ...(email.trim() !== old.email && { email: email.trim() || null }),
    ...(admin !== old.admin && { role: admin ? 'admin' : null }),
    ...(disabled !== old.disabled && { disabled }),
    ...(disabled && tokens && { tokens: 'disable' }),
  };
}

function LoginForm({ user, etag }: { user: UserInfo; etag: string | null }) {
  const params = { name: user.name };
  const outdate = useOutdate();
  const written = useWritten();
  const edit = useEdit({
    resource: { value: user, etag },
    draftOf,
    read: () => api.callForResource('showUser', { params }),
    write: async (draft, held, ifMatch) => {
      const body = changeOf(draft, held);
      return written('showUser', params, await api.callForResource('changeLogin', { params, body, ifMatch }));
    },
    saved: `The sign-in of ${user.name} is saved.`,
    readAgain: () => outdate('showUser', 'listUsers', 'listTokens'),
  });
  const { draft, change, errors } = edit;
  return (
    <Stack gap="sm">
      <TextInput
        label="Email address"
        description="The user may also sign in by it, and single sign-on finds the user by it."
        type="email"
        value={draft.email}
        error={errors.email}
        onChange={event => change({ email: event.currentTarget.value })}
      />
      <Switch
        label="Admin of the whole installation"
        checked={draft.admin}
        onChange={event => change({ admin: event.currentTarget.checked })}
      />
      <Switch
        label="Sign-in is disabled"
        description="A disabled user is signed out everywhere."
        checked={draft.disabled}
        onChange={event => change({ disabled: event.currentTarget.checked })}
      />
      {draft.disabled && !user.login?.disabled && (
        <Checkbox
          ml="xl"
          label="Also disable all tokens of the user"
          checked={draft.tokens}
          onChange={event => change({ tokens: event.currentTarget.checked })}
        />
      )}
      <EditButtons edit={edit as Edit<object>} label="Save the sign-in" />
    </Stack>
  );
}

function Unlink({ name }: { name: string }) {
  const outdate = useOutdate();
  const unlink = async () => {
    await api.call('changeLogin', { params: { name }, body: { oidc: null } });
    await outdate('showUser', 'listUsers');
  };
  return (
    <AskFirst label="Unlink single sign-on" question={`Unlink the identity of ${name}?`} onConfirm={unlink}>
      {name} is signed out. The next identity at the OpenID provider with the email address of the user is
      linked instead.
    </AskFirst>
  );
}

function RemoveLogin({ name }: { name: string }) {
  const [disable, setDisable] = useState(false);
  const outdate = useOutdate();
  const remove = async () => {
    await api.call('removeLogin', { params: { name }, query: { tokens: disable ? 'disable' : 'keep' } });
    await outdate('showUser', 'listUsers', 'listTokens');
  };
  return (
    <AskFirst label="Remove the login" question={`Remove the login of ${name}?`} onConfirm={remove}>
      <Stack gap="sm">
        <Text size="sm">
          {name} is signed out and cannot sign in any more. The roles in projects stay, and programs that use
          tokens of {name} go on unless these are disabled.
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
