import { type EndpointName, endpoints } from './endpoints.ts';
import type { ProjectRole } from './role.ts';

/**
 * The extent to which a role in a project may call an endpoint: for the whole `project`, or for the `own` tokens of the caller in
 * it.
 */
export type Scope = 'project' | 'own';

/** The endpoints that ask for a role. */
export type RoleEndpoint = {
  [Name in EndpointName]: (typeof endpoints)[Name]['bearer'] extends 'admin' ? Name : never;
}[EndpointName];

type Permission = Partial<Record<ProjectRole, Scope>>;

/** The admin of the installation alone. */
const admin: Permission = {};
const everyRole: Permission = { manager: 'project', member: 'project', viewer: 'project' };
const manager: Permission = { manager: 'project' };
const seesRequests: Permission = { manager: 'project', member: 'own', viewer: 'project' };
const ownTokens: Permission = { manager: 'project', member: 'own' };

/**
 * The endpoints that each role in a project may call, and their scope. An admin may call all of them, for all projects. The checks,
 * their tests and docs/roles.md are made from this table.
 */
export const permissions: Record<RoleEndpoint, Permission> = {
  listTokens: everyRole,
  showToken: everyRole,
  createToken: ownTokens,
  changeToken: ownTokens,
  rotateToken: ownTokens,
  revokeToken: ownTokens,

  listProjects: everyRole,
  showProject: everyRole,
  setProject: admin,
  deleteProject: admin,

  listMembers: everyRole,
  showMember: everyRole,
  setMember: manager,
  removeMember: manager,

  listUsers: admin,
  showUser: admin,
  setUser: admin,
  deleteUser: admin,
  changeLogin: admin,
  removeLogin: admin,
  resetPassword: admin,

  listAccounts: admin,
  showAccount: admin,
  createAccount: admin,
  rotateAccount: admin,
  revokeAccount: admin,

  listUsage: everyRole,
  exportUsage: everyRole,
  totalUsage: everyRole,
  seriesUsage: everyRole,
  listRejected: admin,
  listRefused: everyRole,
  totalRefused: everyRole,

  listRequests: manager,
  showRequest: manager,
  deleteRequest: manager,

  listRunning: seesRequests,
  followRunning: seesRequests,
  endRunning: ownTokens,

  listAudit: manager,
  exportAudit: manager,

  showHealth: admin,
  showDiagnostics: admin,

  listProviders: admin,
  showProvider: admin,
  setProvider: admin,
  deleteProvider: admin,
  testProvider: admin,
  listCatalogModels: everyRole,
  showCatalogModel: everyRole,
  setModel: admin,
  deleteModel: admin,
  testModel: admin,
  showPrices: everyRole,
  showCatalog: admin,
  applyCatalog: admin,
  adoptEntry: admin,
  showSettings: admin,
};

/** True if an endpoint asks for a role. */
export function asksForRole(name: EndpointName): name is RoleEndpoint {
  return endpoints[name].bearer === 'admin';
}
