import { permissions, type RoleEndpoint, type SessionInfo } from '@model-gateway/admin-api';

/**
 * True if the user may call an endpoint: in `project` or, without it, anywhere. `own` is true for a token that the user owns. The gateway
 * decides again for each request; this only spares users what would be refused.
 */
export function may(
  session: SessionInfo | null | undefined,
  endpoint: RoleEndpoint,
  { project, own = true }: { project?: string; own?: boolean } = {},
): boolean {
  if (!session) return false;
  if (session.role === 'admin') return true;
  return session.projects.some(given => {
    const scope = permissions[endpoint][given.role];
    return (
      (project === undefined || given.project === project) &&
      (scope === 'project' || (scope === 'own' && own))
    );
  });
}
