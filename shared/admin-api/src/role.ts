import { z } from 'zod/mini';

/** The roles that a user may have in a project, from the one that may do most. */
export const projectRoles = ['manager', 'member', 'viewer'] as const;
export type ProjectRole = (typeof projectRoles)[number];

/** Every role. An admin has it for the whole installation. */
export const roles = ['admin', ...projectRoles] as const;
export type Role = (typeof roles)[number];

/** The roles of a service account. It owns no tokens, so it cannot be a member. */
export const accountRoles = ['admin', 'manager', 'viewer'] as const;
export type AccountRole = (typeof accountRoles)[number];

export const projectRole = z.enum(projectRoles, `must be one of ${projectRoles.join(', ')}`);
export const accountRole = z.enum(accountRoles, `must be one of ${accountRoles.join(', ')}`);

/** A project, and the role in it. */
export const projectWithRole = z.object({ project: z.string(), role: projectRole });
