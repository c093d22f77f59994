import { Select, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type Member, type ProjectRole, projectRoles } from '@model-gateway/admin-api';
import { useMutation } from '@tanstack/react-query';
import { api } from '../api.ts';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty, Failed } from '../layout/states.tsx';
import { useRecords } from '../layout/use-records.ts';
import { useOutdate } from '../layout/use-resource.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { AddMember } from './add-member.tsx';
import { RemoveMember } from './remove-member.tsx';
import { roleWords } from './role-words.ts';

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
          <Empty title="Nobody has a role in this project">
            {mayChange ? 'Give a user a role above.' : 'Admins see it all the same.'}
          </Empty>
        }
      />
      {!mayChange && (
        <Text size="xs" c="dimmed">
          Managers of the project, and admins, give and take roles.
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
      label: 'What it allows',
      wideOnly: true,
      render: ({ role }) => (
        <Text size="sm" c="dimmed">
          {roleWords[role]}
        </Text>
      ),
    },
  ];
  if (mayChange)
    columns.push({ label: 'Take away', render: member => <RemoveMember project={project} {...member} /> });
  return columns;
}

/** The role of a member, and a choice of others. A choice holds at once. */
function RoleField({ project, member: { user, role } }: { project: string; member: Member }) {
  const outdate = useOutdate();
  const change = useMutation({
    mutationFn: (wanted: ProjectRole) =>
      api.call('setMember', { params: { name: project, user }, body: { role: wanted } }),
    onSuccess: ({ role }) => {
      notifications.show({ message: `${user} is now a ${role} of ${project}.` });
      return outdate('listMembers', 'listUsers', 'showUser');
    },
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
        onChange={wanted => wanted && wanted !== role && change.mutate(wanted as ProjectRole)}
      />
      {change.error && <Failed error={change.error} />}
    </>
  );
}
