import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type Member, type ProjectRole, projectRoles } from '@model-gateway/admin-api';
import { useMutation } from '@tanstack/react-query';
import { api } from '../api.ts';
import { useChanged, useRecords } from '../layout/reading.ts';
import { FormElement, FormFailure } from '../layout/record-form.tsx';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty, Failed } from '../layout/states.tsx';
import { useRecordForm } from '../layout/use-record-form.ts';
import { toProblem } from '../problem.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { NameSearch } from '../settings-form/name-fields.tsx';
import { RemoveMember } from './remove-member.tsx';

/** The rights of a role in a project, in short; docs/roles.md has all of it. */
const roleWords: Record<ProjectRole, string> = {
  manager: 'Manages tokens and roles; reads logged requests and the audit log',
  member: 'Creates and changes own tokens',
  viewer: 'Sees the project, its usage, and its tokens without secrets',
};

/** The users who have a role in a project. Managers and admins give and take roles. */
export function Members({ project }: { project: string }) {
  const { session } = useSession();
  const list = useRecords<Member>('listMembers', { params: { name: project } });
  const mayChange = may(session, 'setMember', { project });
  return (
    <Stack>
      {mayChange && <AddMember project={project} />}
      <RecordTable
        label="Members"
        list={list}
        columns={columnsOf(project, mayChange)}
        keyOf={({ user }) => user}
        empty={
          <Empty title="No members yet">
            {mayChange ? 'Add one above. Admins see every project.' : 'Admins see every project.'}
          </Empty>
        }
      />
      {!mayChange && (
        <Text size="xs" c="dimmed">
          Managers of the project and admins add and remove members.
        </Text>
      )}
    </Stack>
  );
}

function columnsOf(project: string, mayChange: boolean): Column<Member>[] {
  const columns: Column<Member>[] = [
    { label: 'User', render: ({ user }) => user },
    {
      label: 'Role',
      render: member => (mayChange ? <RoleField project={project} member={member} /> : member.role),
    },
    {
      label: 'Permissions',
      wideOnly: true,
      render: ({ role }) => (
        <Text size="sm" c="dimmed">
          {roleWords[role]}
        </Text>
      ),
    },
  ];
  if (mayChange)
    columns.push({ label: 'Remove', render: member => <RemoveMember project={project} {...member} /> });
  return columns;
}

/** Returns a function that gives a user a role in a project. */
function useSetMember(project: string) {
  const { changed } = useChanged();
  return {
    setMember: (user: string, role: ProjectRole) =>
      api.call('setMember', { params: { name: project, user: user.trim() }, body: { role } }),
    onSaved: ({ user, role }: Member) => {
      notifications.show({ message: `${user} is now a ${role} of ${project}.` });
      return changed();
    },
  };
}

/** The role of a member, and a choice of others. A choice is saved at once. */
function RoleField({ project, member: { user, role } }: { project: string; member: Member }) {
  const { setMember, onSaved } = useSetMember(project);
  const change = useMutation({
    mutationFn: (chosen: ProjectRole) => setMember(user, chosen),
    onSuccess: onSaved,
  });
  return (
    <>
      <Select
        aria-label={`Role of ${user}`}
        size="xs"
        w={120}
        data={[...projectRoles]}
        value={change.isPending ? change.variables : role}
        disabled={change.isPending}
        allowDeselect={false}
        onChange={chosen => chosen && chosen !== role && change.mutate(chosen as ProjectRole)}
      />
      {change.error && <Failed error={change.error} />}
    </>
  );
}

/** The form that gives a user a role in a project. */
function AddMember({ project }: { project: string }) {
  const { session } = useSession();
  const { setMember, onSaved } = useSetMember(project);
  const form = useRecordForm({
    initial: { user: '', role: 'member' as ProjectRole },
    submit: ({ user, role }) => setMember(user, role),
    onSaved: member => {
      form.reset();
      return onSaved(member);
    },
    warns: false,
  });
  const { user, role } = form.values;
  const isUnknown = toProblem(form.error).facts.code === 'user_not_found';
  const field = {
    ...{ label: 'User', w: 240, value: user },
    error: isUnknown ? 'There is no user with this name. Admins create users.' : undefined,
  };
  return (
    <FormElement form={form} label="Add a member">
      <Stack gap="xs">
        <Group align="flex-start">
          {may(session, 'listUsers') ? (
            <NameSearch list="listUsers" {...field} onChange={name => form.change({ user: name })} />
          ) : (
            <TextInput {...field} onChange={event => form.change({ user: event.currentTarget.value })} />
          )}
          <Select
            label="Role"
            w={140}
            data={[...projectRoles]}
            value={role}
            allowDeselect={false}
            onChange={chosen => form.change({ role: (chosen ?? 'member') as ProjectRole })}
          />
          <Button type="submit" mt={25} loading={form.saving} disabled={user.trim() === ''}>
            Add member
          </Button>
        </Group>
        {!isUnknown && <FormFailure form={form} />}
      </Stack>
      <Text size="xs" c="dimmed" mt={4}>
        {roleWords[role]}.
      </Text>
    </FormElement>
  );
}
