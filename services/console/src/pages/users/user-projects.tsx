import { Anchor, Table, Text } from '@mantine/core';
import type { UserInfo } from '@model-gateway/admin-api';
import { Link } from 'react-router';
import { RemoveMember } from '../members/remove-member.tsx';

/** The projects in which a user has a role. Roles are given on the pages of projects. */
export function UserProjects({ user: { name, projects, login } }: { user: UserInfo }) {
  if (projects.length === 0)
    return (
      <Text size="sm">
        {login?.role === 'admin'
          ? 'An admin sees every project, and needs no role in one.'
          : 'No role in a project yet. Give one on the page of the project, at Members.'}
      </Text>
    );
  return (
    <Table aria-label="Roles in projects" verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Project</Table.Th>
          <Table.Th>Role</Table.Th>
          <Table.Th>Take away</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {projects.map(({ project, role }) => (
          <Table.Tr key={project}>
            <Table.Td>
              <Anchor component={Link} to={`/projects/${encodeURIComponent(project)}?tab=members`} size="sm">
                {project}
              </Anchor>
            </Table.Td>
            <Table.Td>{role}</Table.Td>
            <Table.Td>
              <RemoveMember project={project} user={name} role={role} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
