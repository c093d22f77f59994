import type { Database } from '../database/database.ts';
import { type Caller, includesProject, notAllowed, type Scope } from '../people/caller.ts';
import { roleIn } from '../people/members.ts';
import type { RequestedToken, TokenEdit } from '../tokens/tokens.ts';

/** A token, or something of one. */
interface Owned {
  project: string;
  /** The user who owns the token; null for none. */
  owner: string | null;
}

/** True if a caller may see a token. */
export function reachesToken(scope: Scope, caller: Caller, token: Owned): boolean {
  return includesProject(scope, token.project) || (scope.own.includes(token.project) && isOwn(caller, token));
}

/**
 * True if a caller may change a token; false if the caller may not even see it.
 * @throws GatewayError of kind `forbidden` for a token of someone else in a project of the caller
 */
export function mayChangeToken(scope: Scope, caller: Caller, token: Owned): boolean {
  if (reachesToken(scope, caller, token)) return true;
  if (caller.roles.has(token.project))
    throw notAllowed('Your role in this project allows this for your own tokens only.');
  return false;
}

/** Returns a token to be created, which a member owns. @throws GatewayError of kind `forbidden` if the caller may not create it */
export async function admitNewToken(
  db: Database,
  caller: Caller,
  scope: Scope,
  wanted: RequestedToken,
): Promise<RequestedToken> {
  const { project } = wanted;
  const owner = wanted.owner ?? (scope.own.includes(project) ? caller.name : null);
  assertTokensIn(scope, project);
  await assertOwner(db, caller, scope, project, owner);
  const account = accountOf(caller);
  return { ...wanted, owner, ...(account && { account }) };
}

/** Returns the id of the service account that sends a request; undefined for another caller. */
export function accountOf({ kind, id }: Caller): string | undefined {
  return kind === 'account' && id !== null ? id : undefined;
}

/** Checks the project and the owner that a token gets by a change. @throws GatewayError of kind `forbidden` */
export async function admitChange(
  db: Database,
  caller: Caller,
  scope: Scope,
  before: Owned,
  { project = before.project, owner = before.owner }: Pick<TokenEdit, 'project' | 'owner'>,
): Promise<void> {
  if (project === before.project && owner === before.owner) return;
  assertTokensIn(scope, project);
  await assertOwner(db, caller, scope, project, owner);
}

function assertTokensIn(scope: Scope, project: string): void {
  if (scope.own.includes(project) || includesProject(scope, project)) return;
  const possible = [...scope.projects, ...scope.own].map(name => `'${name}'`).join(', ');
  throw notAllowed(`You may not have tokens in the project '${project}', but in ${possible}.`, 'project');
}

/**
 * Checks the owner that a token gets: a member is the owner of the own tokens, and a manager names users of the project, since what
 * their tokens use counts for their budgets. @throws GatewayError of kind `forbidden`
 */
async function assertOwner(
  db: Database,
  caller: Caller,
  { everything, own }: Scope,
  project: string,
  owner: string | null,
): Promise<void> {
  if (everything) return;
  if (own.includes(project)) {
    if (owner !== caller.name) throw notAllowed('Your role allows tokens that you own only.', 'owner');
  } else if (owner !== null && (await roleIn(db, project, owner)) === undefined)
    throw notAllowed('The owner must have a role in the project.', 'owner');
}

/** True if a user owns a token. Service accounts own none, whatever their names. */
function isOwn({ kind, name }: Caller, { owner }: Pick<Owned, 'owner'>): boolean {
  return kind === 'user' && owner === name;
}
