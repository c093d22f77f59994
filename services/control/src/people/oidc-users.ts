import { name as nameShape } from '@model-gateway/admin-api';
import { lockCatalog } from '../audit/catalog-table.ts';
import { type Actor, recordEvent } from '../audit/record.ts';
import { unseen } from '../common/fold-name.ts';
import type { Database } from '../database/database.ts';
import { notAllowed } from './caller.ts';
import { editLogin, type Login, loginOfEmail, loginOfSubject, loginsOf, showLogin } from './logins.ts';
import { removeMember, rolesOf, setMember } from './members.ts';
import { type GroupRoles, type OidcOptions, rolesFor } from './oidc-options.ts';
import type { Identity } from './oidc-provider.ts';
import { ensureGroup, findGroup, projectGroups, userGroups } from './token-groups.ts';
import { isLikeAnother } from './user-names.ts';

/** The part of an actor that is known before the user is. */
type Origin = Pick<Actor, 'address' | 'requestId'>;

/**
 * Returns the login of a user of the OpenID provider: the one with this identity, else the one with the verified email address, else
 * a new user's, where that is allowed. Roles then follow the groups, if they are configured. @throws GatewayError of kind `forbidden`
 */
export async function loginFor(
  db: Database,
  identity: Identity,
  { roles, newUsers }: Pick<OidcOptions, 'roles' | 'newUsers'>,
  origin: Origin,
): Promise<Login> {
  const wanted = roles && rolesFor(roles, identity.groups);
  return db.transaction(async tx => {
    // Two sign-ins at once make one user.
    await lockCatalog(tx);
    const login = (await known(tx, identity, origin)) ?? (await made(tx, identity, origin, newUsers, wanted));
    if (login.disabled) throw notAllowed('Your login is disabled.');
    if (roles && wanted) await follow(tx, login, wanted, mentioned(roles), origin);
    return loginOf(tx, login.userId);
  });
}

/** Returns the login with this identity. One that is found by its email address gets the identity. */
async function known(tx: Database, identity: Identity, origin: Origin): Promise<Login | undefined> {
  const { issuer, subject, email } = identity;
  const login = await loginOfSubject(tx, issuer, subject);
  if (login || email === null) return login;
  const byEmail = await loginOfEmail(tx, email);
  if (!byEmail) return undefined;
  if (byEmail.subject !== null)
    throw notAllowed('Another user of the OpenID provider has this email address.');
  await editLogin(tx, byEmail.userId, { issuer, subject });
  return note(tx, byEmail, showLogin(byEmail), origin);
}

async function made(
  tx: Database,
  { issuer, subject, email, name }: Identity,
  origin: Origin,
  newUsers: OidcOptions['newUsers'],
  roles: GroupRoles | undefined,
): Promise<Login> {
  const hasRole = roles !== undefined && (roles.isAdmin || roles.projects.size > 0);
  if (newUsers === 'refuse' || (newUsers === 'with-role' && !hasRole))
    throw notAllowed('You have no login here. Ask an admin for one.');
  if (!nameShape.safeParse(name).success || unseen.test(name))
    throw notAllowed('The OpenID provider gives you a name that cannot be used here.');
  // A user who is there already may own tokens, and a name at the provider proves nothing, nor does a name like an address.
  if ((await isLikeAnother(tx, name)) || (await loginOfEmail(tx, name)))
    throw notAllowed(
      `There is already a user '${name}'. Ask an admin to add your email address to its login.`,
    );
  const userId = await ensureGroup(tx, userGroups, name);
  await editLogin(tx, userId, { issuer, subject, ...(email !== null && { email }) });
  return note(tx, { userId, name }, null, origin);
}

/** Records that a login has another identity, and returns it. `before` is the login as it was. */
async function note(
  tx: Database,
  { userId, name }: Pick<Login, 'userId' | 'name'>,
  before: object | null,
  origin: Origin,
): Promise<Login> {
  const login = await loginOf(tx, userId);
  const subject = { kind: 'user', id: userId, name } as const;
  const act = { action: 'finishOidc', subject, before, after: showLogin(login) } as const;
  await recordEvent(tx, { kind: 'user', id: userId, name, ...origin }, act);
  return login;
}

async function loginOf(tx: Database, userId: string): Promise<Login> {
  const login = (await loginsOf(tx, [userId])).get(userId);
  if (!login) throw new Error('a row that was just written is not there');
  return login;
}

/** Makes a user's roles those of the groups. Roles in projects that no group names stay. */
async function follow(
  tx: Database,
  { userId, name, admin }: Login,
  wanted: GroupRoles,
  { projects, admins }: ReturnType<typeof mentioned>,
  origin: Origin,
): Promise<void> {
  const actor: Actor = { kind: 'setting', id: null, name: 'GATEWAY_OIDC_ROLES', ...origin };
  if (admins && admin !== wanted.isAdmin) {
    await editLogin(tx, userId, { admin: wanted.isAdmin });
    const [before, after] = [admin, wanted.isAdmin].map(is => ({ role: is ? 'admin' : null }));
    const subject = { kind: 'user', id: userId, name } as const;
    await recordEvent(tx, actor, {
      action: 'changeLogin',
      subject,
      before: before ?? null,
      after: after ?? null,
    });
  }
  const now = new Map((await rolesOf(tx, [userId])).get(userId)?.map(({ project, role }) => [project, role]));
  for (const project of projects) {
    const [before, role] = [now.get(project), wanted.projects.get(project)];
    const group = before === role ? undefined : await findGroup(tx, projectGroups, project);
    if (!group) continue;
    if (role) await setMember(tx, { userId, projectId: group.id, role });
    else await removeMember(tx, userId, group.id);
    await recordEvent(tx, actor, {
      action: role ? 'setMember' : 'removeMember',
      subject: { kind: 'member', id: userId, name },
      project,
      before: before ? { role: before } : null,
      after: role ? { role } : null,
    });
  }
}

/** Returns the projects that groups name, and whether one names admins. */
function mentioned(roles: ReadonlyMap<string, GroupRoles>): { projects: string[]; admins: boolean } {
  const all = [...roles.values()];
  return {
    projects: [...new Set(all.flatMap(({ projects }) => [...projects.keys()]))],
    admins: all.some(({ isAdmin }) => isAdmin),
  };
}
