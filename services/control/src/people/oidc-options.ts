import { type ProjectRole, projectRoles } from '@model-gateway/admin-api';
import type { Sealer } from '@model-gateway/catalog';
import { ConfigError, type Settings } from '@model-gateway/service';

/** The roles that a group gives. */
export interface GroupRoles {
  isAdmin: boolean;
  projects: ReadonlyMap<string, ProjectRole>;
}

export interface OidcOptions {
  issuer: URL;
  clientId: string;
  clientSecret: string | undefined;
  scopes: string;
  /** The claim with a user's groups. */
  groupsClaim: string;
  /** The roles by group; undefined if roles do not follow groups. */
  roles: ReadonlyMap<string, GroupRoles> | undefined;
  newUsers: 'refuse' | 'with-role' | 'make';
  /** The URL to which the provider returns. */
  redirectUrl: string;
  /** Seals the state of a sign-in in its cookie, and the code of a command. */
  sealer: Sealer;
}

type OidcSetting =
  | 'GATEWAY_OIDC_ISSUER'
  | 'GATEWAY_OIDC_CLIENT_ID'
  | 'GATEWAY_OIDC_CLIENT_SECRET'
  | 'GATEWAY_OIDC_SCOPES'
  | 'GATEWAY_OIDC_GROUPS'
  | 'GATEWAY_OIDC_ROLES'
  | 'GATEWAY_OIDC_NEW_USERS'
  | 'GATEWAY_PUBLIC_URL';

const callbackPath = '/api/v1/session/oidc/callback';

/** Returns the options of OpenID Connect; undefined without an issuer. @throws ConfigError if a setting is missing or invalid */
export function oidcOptions(settings: Settings<OidcSetting>, sealer: Sealer): OidcOptions | undefined {
  const { GATEWAY_OIDC_ISSUER, GATEWAY_OIDC_CLIENT_ID, GATEWAY_PUBLIC_URL, GATEWAY_OIDC_ROLES } = settings;
  if (GATEWAY_OIDC_ISSUER === undefined) return undefined;
  if (!GATEWAY_OIDC_CLIENT_ID || !GATEWAY_PUBLIC_URL)
    throw new ConfigError('GATEWAY_OIDC_ISSUER: needs GATEWAY_OIDC_CLIENT_ID and GATEWAY_PUBLIC_URL');
  const issuer = new URL(GATEWAY_OIDC_ISSUER);
  if (issuer.protocol !== 'https:' && !isLoopback(issuer))
    throw new ConfigError('GATEWAY_OIDC_ISSUER: must be an https URL');
  if (isOfEveryTenant(issuer))
    throw new ConfigError('GATEWAY_OIDC_ISSUER: is that of every tenant of Entra ID. Name your tenant');
  return {
    issuer,
    clientId: GATEWAY_OIDC_CLIENT_ID,
    clientSecret: settings.GATEWAY_OIDC_CLIENT_SECRET,
    scopes: settings.GATEWAY_OIDC_SCOPES,
    groupsClaim: settings.GATEWAY_OIDC_GROUPS,
    roles: GATEWAY_OIDC_ROLES && rolesOfGroups(GATEWAY_OIDC_ROLES),
    newUsers: settings.GATEWAY_OIDC_NEW_USERS,
    redirectUrl: `${GATEWAY_PUBLIC_URL.replace(/\/+$/, '')}${callbackPath}`,
    sealer,
  };
}

/** True for a provider on this machine, which may be reached without TLS. */
export function isLoopback({ hostname }: URL): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}

/** True for an issuer of Entra ID that stands for all tenants: the admin of any one chooses groups and names of its users. */
function isOfEveryTenant({ hostname, pathname }: URL): boolean {
  return hostname === 'login.microsoftonline.com' && /^\/(?:common|organizations)(?:\/|$)/i.test(pathname);
}

/** Reads `admin`, or a project and a role in it, such as `lab:manager`. @throws ConfigError */
function rolesOfGroups(groups: Record<string, string | string[]>): Map<string, GroupRoles> {
  return new Map(
    Object.entries(groups).map(([group, given]) => {
      const named = [given].flat();
      const projects = named
        .filter(text => text !== 'admin')
        .map((text): [string, ProjectRole] => {
          const colon = text.lastIndexOf(':');
          const role = projectRoles.find(name => name === text.slice(colon + 1));
          if (colon < 1 || !role)
            throw new ConfigError(
              `GATEWAY_OIDC_ROLES: '${text}' is neither admin nor a project with a role, such as lab:manager`,
            );
          return [text.slice(0, colon), role];
        });
      return [group, { isAdmin: named.includes('admin'), projects: new Map(projects) }];
    }),
  );
}

/** Returns the roles of a user in these groups: in each project the one that may do most. */
export function rolesFor(roles: ReadonlyMap<string, GroupRoles>, groups: readonly string[]): GroupRoles {
  const own = groups.flatMap(group => roles.get(group) ?? []);
  const projects = new Map<string, ProjectRole>();
  for (const role of [...projectRoles].reverse())
    for (const { projects: ofGroup } of own)
      for (const [project, given] of ofGroup) if (given === role) projects.set(project, role);
  return { isAdmin: own.some(({ isAdmin }) => isAdmin), projects };
}
