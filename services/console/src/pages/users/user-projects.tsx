import { Anchor, Text } from '@mantine/core';
import type { UserInfo } from '@model-gateway/admin-api';
import { Link } from 'react-router';
import { PlainTable } from '../layout/plain-table.tsx';
import { RemoveMember } from '../members/remove-member.tsx';

/** The projects in which a user has a role. Roles are given on the pages of projects. */
export function UserProjects({ user: { name, projects, login } }: { user: UserInfo }) {
  if (projects.length === 0)
    return (
      <Text size="sm">
        {login?.role === 'admin'
          ? 'Admins see every project and need no role.'
          : 'No roles yet. Add the user on the page of a project, under Members.'}
      </Text>
    );
  return (
    <PlainTable
      label="Roles in projects"
      rows={projects}
      keyOf={({ project }) => project}
      columns={[
        {
          label: 'Project',
          render: ({ project }) => (
            <Anchor component={Link} to={`/projects/${encodeURIComponent(project)}?tab=members`} size="sm">
              {project}
            </Anchor>
          ),
        },
        { label: 'Role', render: ({ role }) => role },
        {
          label: 'Remove',
          render: ({ project, role }) => <RemoveMember project={project} user={name} role={role} />,
        },
      ]}
    />
  );
}
