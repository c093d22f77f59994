import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type ProjectRole, projectRoles } from '@model-gateway/admin-api';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api.ts';
import { Failed } from '../layout/states.tsx';
import { useOutdate } from '../layout/use-resource.ts';
import { toProblem } from '../problem.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { NameSearch } from '../settings-form/name-search.tsx';
import { roleWords } from './role-words.ts';

/** The form that gives a user a role in a project. */
export function AddMember({ project }: { project: string }) {
  const [user, setUser] = useState('');
  const [role, setRole] = useState<ProjectRole>('member');
  const outdate = useOutdate();
  const add = useMutation({
    mutationFn: () => api.call('setMember', { params: { name: project, user: user.trim() }, body: { role } }),
    onSuccess: ({ user, role }) => {
      setUser('');
      notifications.show({ message: `${user} is now a ${role} of ${project}.` });
      return outdate('listMembers', 'listUsers', 'showUser');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  const unknown = toProblem(add.error).facts.code === 'user_not_found';
  const error = unknown ? 'There is no user with this name. An admin makes users.' : undefined;
  return (
    <form onSubmit={submit} aria-label="Give a user a role">
      <Stack gap="xs">
        <Group align="flex-start">
          <UserField value={user} onChange={setUser} error={error} />
          <Select
            label="Role"
            w={140}
            data={[...projectRoles]}
            value={role}
            allowDeselect={false}
            onChange={chosen => setRole((chosen ?? 'member') as ProjectRole)}
          />
          <Button type="submit" mt={25} loading={add.isPending} disabled={user.trim() === ''}>
            Give the role
          </Button>
        </Group>
        {add.error && !unknown && <Failed error={add.error} />}
      </Stack>
      <Text size="xs" c="dimmed" mt={4}>
        A {role} {roleWords[role]}.
      </Text>
    </form>
  );
}

/** A field for the name of a user. Admins, who may list users, get suggestions. */
function UserField({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange(value: string): void;
  error: string | undefined;
}) {
  const { session } = useSession();
  const shared = { label: 'User', w: 240, value, error, spellCheck: false, autoCapitalize: 'off' };
  if (!may(session, 'listUsers'))
    return <TextInput {...shared} onChange={event => onChange(event.currentTarget.value)} />;
  return <NameSearch list="listUsers" {...shared} onChange={onChange} />;
}
