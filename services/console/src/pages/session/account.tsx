import { Alert, Button, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { passwordCharacters, type SessionInfo } from '@model-gateway/admin-api';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Navigate } from 'react-router';
import { api } from '../api.ts';
import { SecretInput } from '../layout/secret-input.tsx';
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
  if (role === 'admin') return <Text>An admin of the whole installation.</Text>;
  if (projects.length === 0)
    return <Text>You have no role in a project yet. Ask an admin, or the manager of a project.</Text>;
  return (
    <Table aria-label="Roles in projects">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Project</Table.Th>
          <Table.Th>Role</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {projects.map(({ project, role }) => (
          <Table.Tr key={project}>
            <Table.Td>{project}</Table.Td>
            <Table.Td>{role}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const noPasswords = { current: '', password: '' };

function PasswordForm() {
  const [values, setValues] = useState(noPasswords);
  const change = useMutation({
    mutationFn: () => api.call('changePassword', { body: values }),
    onSuccess: () => setValues(noPasswords),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const { least } = passwordCharacters;
  return (
    <form onSubmit={submit} aria-label="Change the password">
      <Stack gap="sm">
        <Title order={2} size="h5">
          Change the password
        </Title>
        {change.error && <Alert color="red" title={toProblem(change.error).message} />}
        {change.isSuccess && (
          <Alert color="green" title="The password is changed. Your other sessions have ended." />
        )}
        <SecretInput
          noun="password"
          label="Current password"
          autoComplete="current-password"
          required
          value={values.current}
          onChange={event => setValues({ ...values, current: event.currentTarget.value })}
        />
        <SecretInput
          noun="password"
          label="New password"
          description={`At least ${least} characters.`}
          autoComplete="new-password"
          required
          minLength={least}
          value={values.password}
          onChange={event => setValues({ ...values, password: event.currentTarget.value })}
        />
        <Button type="submit" loading={change.isPending}>
          Change the password
        </Button>
      </Stack>
    </form>
  );
}
