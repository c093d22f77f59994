import {
  endpoints,
  type ProjectRole,
  permissions,
  type RoleEndpoint,
  type SessionInfo,
} from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';

/** The sender of an admin request: a user in a session, a service account, or the holder of the admin token. */
export interface Caller {
  kind: SessionInfo['kind'];
  /** The id of the user or the service account; null for the admin token. */
  id: string | null;
  name: string;
  isAdmin: boolean;
  /** The role in each project, by the project's name. */
  roles: ReadonlyMap<string, ProjectRole>;
  /** End of the session or of the service account; null for never. */
  expiresAt: Date | null;
  /** The hash of the session; absent for other callers. */
  session?: string;
}

export const adminTokenCaller: Caller = {
  kind: 'admin-token',
  id: null,
  name: 'admin token',
  isAdmin: true,
  roles: new Map(),
  expiresAt: null,
};

/** The part of the installation on which a caller may use an endpoint. */
export interface Scope {
  /** True for everything; the lists are then empty. */
  everything: boolean;
  /** Projects with all that belongs to them. */
  projects: readonly string[];
  /** Projects with the tokens in them that the caller owns. */
  own: readonly string[];
}

/** Applies the table of permissions to a caller. @throws GatewayError of kind `forbidden` if it may not use the endpoint */
export function scopeOf({ isAdmin, roles }: Caller, name: RoleEndpoint): Scope {
  if (isAdmin) return { everything: true, projects: [], own: [] };
  const named = (scope: 'project' | 'own') =>
    [...roles].filter(([, role]) => permissions[name][role] === scope).map(([project]) => project);
  const scope = { everything: false, projects: named('project'), own: named('own') };
  if (scope.projects.length + scope.own.length > 0) return scope;
  throw notAllowed(`${sentence(name)} needs ${rolesFor(name)}.`);
}

/** True if a caller may use an endpoint on a project as a whole. */
export function includesProject({ everything, projects }: Scope, project: string): boolean {
  return everything || projects.includes(project);
}

/**
 * Returns the projects that a query may read: the wanted one, or all in scope; undefined for every project.
 * @throws GatewayError of kind `forbidden` if the wanted one is out of scope
 */
export function projectsWithin(
  scope: Scope,
  wanted: string | undefined,
): string | readonly string[] | undefined {
  if (scope.everything) return wanted;
  if (scope.own.length > 0) throw new Error('this endpoint does not know the scope of own tokens');
  if (wanted === undefined) return scope.projects;
  if (!scope.projects.includes(wanted))
    throw notAllowed(`You have no role in the project '${wanted}'.`, 'project');
  return wanted;
}

export function notAllowed(message: string, param?: string): GatewayError {
  return new GatewayError('forbidden', message, {
    code: 'insufficient_permissions',
    ...(param && { param }),
  });
}

function sentence(name: RoleEndpoint): string {
  const { method, path } = endpoints[name];
  return `${method.toUpperCase()} ${path}`;
}

function rolesFor(name: RoleEndpoint): string {
  const inProject = Object.keys(permissions[name]);
  return inProject.length === 0
    ? 'the role admin'
    : `the role admin, or in a project the role ${inProject.join(' or ')}`;
}
