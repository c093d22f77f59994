import { Alert, Button, Paper, Stack, Text, Title } from '@mantine/core';
import { passwordCharacters, type SessionInfo } from '@model-gateway/admin-api';
import { Navigate } from 'react-router';
import { api } from '../api.ts';
import { PlainTable } from '../layout/plain-table.tsx';
import { FormElement } from '../layout/record-form.tsx';
import { SecretInput } from '../layout/secret-input.tsx';
import { messageAt } from '../layout/setting-props.ts';
import { useRecordForm } from '../layout/use-record-form.ts';
import { toProblem } from '../problem.ts';
import classes from './form-page.module.css';
import { useSession } from './use-session.ts';

/** The page of the user who is signed in: roles, and a form for a new password. */
export function Account() {
  const { session } = useSession();
  if (session === undefined) return null;
  if (session === null) return <Navigate to="/sign-in?returnTo=/account" replace />;
  return (
    <Paper withBorder className={classes.form}>
      <Stack gap="lg">
        <Title order={1} size="h4">
          {session.name}
        </Title>
        <Roles session={session} />
        <PasswordForm />
      </Stack>
    </Paper>
  );
}

function Roles({ session: { role, projects } }: { session: SessionInfo }) {
  if (role === 'admin') return <Text>Admin of the whole installation.</Text>;
  if (projects.length === 0)
    return <Text>No roles yet. Ask an admin, or the manager of a project, for one.</Text>;
  return (
    <PlainTable
      label="Roles in projects"
      rows={projects}
      keyOf={({ project }) => project}
      columns={[
        { label: 'Project', render: ({ project }) => project },
        { label: 'Role', render: ({ role }) => role },
      ]}
    />
  );
}

const noPasswords = { current: '', password: '' };

function PasswordForm() {
  const form = useRecordForm({
    initial: noPasswords,
    submit: body => api.call('changePassword', { body }),
    onSaved: () => {
      form.reset();
    },
  });
  const { values, change, error, errors, saving } = form;
  const { least } = passwordCharacters;
  return (
    <FormElement form={form} label="Change password">
      <Stack gap="sm">
        <Title order={2} size="h5">
          Change password
        </Title>
        {error ? <Alert color="red" title={toProblem(error).message} /> : null}
        {form.isSaved && <Alert color="green" title="Password changed. Your other sessions have ended." />}
        <SecretInput
          noun="password"
          label="Current password"
          autoComplete="current-password"
          required
          value={values.current}
          error={messageAt(errors, ['current'])}
          onChange={event => change({ current: event.currentTarget.value })}
        />
        <SecretInput
          noun="password"
          label="New password"
          description={`At least ${least} characters.`}
          autoComplete="new-password"
          required
          minLength={least}
          value={values.password}
          error={messageAt(errors, ['password'])}
          onChange={event => change({ password: event.currentTarget.value })}
        />
        <Button type="submit" loading={saving}>
          Change password
        </Button>
      </Stack>
    </FormElement>
  );
}
