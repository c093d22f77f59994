import type { ProjectRole } from '@model-gateway/admin-api';

/** What a role in a project allows, in short; docs/roles.md has all of it. */
export const roleWords: Record<ProjectRole, string> = {
  manager: 'hands out tokens and roles, reads logged requests and the audit log',
  member: 'makes and changes tokens of their own',
  viewer: 'sees the project, its tokens without secrets, and its usage',
};
