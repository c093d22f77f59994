import {
  type AccountInfo,
  accountRoles,
  type IssuedAccount,
  type Member,
  projectRoles,
  type UserInfo,
} from '@model-gateway/admin-api';
import { type Command, command, flag, text } from './command.ts';
import { answerOf, listOf } from './option-values.ts';
import { passwordOf } from './password.ts';
import { listCommand, removeCommand, showCommand } from './record-commands.ts';
import { type Columns, jsonText, table, tableOf } from './table.ts';

const user = { name: 'NAME', about: 'the name of the user', names: 'users' } as const;

const tokens = text('FATE', "the user's tokens work on, or are disabled (in a project: those in it)", {
  choices: ['keep', 'disable'],
});

const changeLogin = command({
  name: 'user login',
  about: 'Change the way in which a user signs in; an empty text removes a setting',
  argument: user,
  options: {
    email: text('EMAIL', 'the address by which the user may sign in too'),
    role: text('ROLE', 'the role for the whole installation', { choices: ['admin'] }),
    disabled: text('ANSWER', 'the user may not sign in', { choices: ['yes', 'no'] }),
    'unlink-oidc': flag('unlink the identity at the OpenID provider, and sign the user out'),
    tokens,
  },
  async run({ admin, values, argument, json }) {
    const { email, role } = values;
    const disabled = answerOf(values.disabled);
    const changed = await admin().call('changeLogin', {
      params: { name: argument },
      body: {
        ...(email !== undefined && { email: email || null }),
        ...(role !== undefined && { role: role || null }),
        ...(disabled !== undefined && { disabled: disabled ?? false }),
        ...(values['unlink-oidc'] && { oidc: null }),
        ...(values.tokens && { tokens: values.tokens }),
      },
    });
    return json ? jsonText(changed) : loginTable(changed);
  },
});

const tokensQuery = (tokens: string | undefined) => ({ query: { tokens: tokens || 'keep' } });

const removeLogin = removeCommand({
  name: 'user remove-login',
  about: "Remove a user's login, and end the user's sessions",
  argument: user,
  endpoint: 'removeLogin',
  options: { tokens },
  parts: ({ tokens }) => tokensQuery(tokens),
  done: name => ({ sentence: `${name} cannot sign in any more.`, result: { name, login: null } }),
});

const resetPassword = command({
  name: 'user password',
  about: 'Set or make the password of a user',
  argument: user,
  options: {
    'password-file': text('FILE', 'a file with the password; without it, one is made', { names: 'files' }),
  },
  async run({ admin, values, argument, json }) {
    const file = values['password-file'];
    const given = file === undefined ? undefined : passwordOf(file);
    const body = { password: given };
    const { password: made } = await admin().call('resetPassword', { params: { name: argument }, body });
    if (json) return JSON.stringify({ name: argument, password: made });
    if (made === null) return `${argument} has the given password.`;
    return `${made}\n\nThis is the only time that the password of ${argument} is shown.`;
  },
});

/** The commands for the logins of users. */
export const loginOfUserCommands: readonly Command[] = [changeLogin, resetPassword, removeLogin];

const project = text('NAME', 'the project', { required: true, names: 'projects' });

const memberColumns: Columns<Member> = {
  head: ['NAME', 'ROLE'],
  row: ({ user, role }) => [user, role],
};

const listMembers = listCommand({
  name: 'member list',
  about: 'List the users who have a role in a project',
  endpoint: 'listMembers',
  within: { param: 'project', option: project },
  ...memberColumns,
});

const setMember = command({
  name: 'member set',
  about: 'Give a user a role in a project, or another one',
  argument: user,
  options: {
    project,
    role: text('ROLE', 'the role in the project', { required: true, choices: projectRoles }),
  },
  async run({ admin, values, argument, json }) {
    const params = { name: values.project, user: argument };
    const set = await admin().call('setMember', { params, body: { role: values.role } });
    return json ? jsonText(set) : tableOf(memberColumns, [set]);
  },
});

const removeMember = removeCommand({
  name: 'member remove',
  about: 'Take the role in a project from a user',
  argument: user,
  endpoint: 'removeMember',
  options: { project, tokens },
  parts: ({ project, tokens }) => ({ params: { name: project }, ...tokensQuery(tokens) }),
  done: (user, { project }) => ({
    sentence: `${user} has no role in ${project} any more.`,
    result: { user, project, role: null },
  }),
});

export const memberCommands: readonly Command[] = [listMembers, setMember, removeMember];

const accountColumns: Columns<AccountInfo> = {
  head: ['ID', 'TOKEN', 'NAME', 'ROLE', 'PROJECTS', 'EXPIRES', 'LAST USED'],
  row: ({ id, prefix, name, role, projects, expiresAt, lastUsedAt }) => [
    ...[id, `${prefix}…`, name, role, projects.join(',') || '-', expiresAt, lastUsedAt ?? 'never'],
  ],
};

const accountId = { name: 'ID', about: 'the id of the service account', names: 'accounts' } as const;
const expiresAt = text('TIME', 'when its token expires, an RFC 3339 time', { required: true });

const listAccounts = listCommand({
  name: 'account list',
  about: 'List the service accounts',
  endpoint: 'listAccounts',
  ...accountColumns,
});

const showAccount = showCommand({
  name: 'account show',
  about: 'Show a service account',
  argument: accountId,
  endpoint: 'showAccount',
  print: account => tableOf(accountColumns, [account]),
});

const createAccount = command({
  name: 'account create',
  about: 'Make a service account, and show its token once',
  options: {
    name: text('NAME', 'its name', { required: true }),
    role: text('ROLE', 'its role', { required: true, choices: accountRoles }),
    projects: text('NAMES', 'the projects in which it has the role', { names: 'projects' }),
    'expires-at': expiresAt,
  },
  async run({ admin, values, json }) {
    const { name, role } = values;
    const projects = listOf(values.projects) || null;
    const wanted = { name, role, projects, expiresAt: values['expires-at'] };
    return showIssued(await admin().call('createAccount', { body: wanted }), json);
  },
});

const rotateAccount = command({
  name: 'account rotate',
  about: 'Give a service account a new token, and show it once',
  argument: accountId,
  options: { 'expires-at': expiresAt },
  async run({ admin, values, argument, json }) {
    const body = { expiresAt: values['expires-at'] };
    return showIssued(await admin().call('rotateAccount', { params: { id: argument }, body }), json);
  },
});

const revokeAccount = removeCommand({
  name: 'account revoke',
  about: 'Revoke a service account for good',
  argument: accountId,
  endpoint: 'revokeAccount',
  done: id => ({ sentence: `Service account ${id} is revoked.`, result: { id, revoked: true } }),
});

/** The commands for service accounts. */
export const accountCommands: readonly Command[] = [
  ...[listAccounts, showAccount, createAccount, rotateAccount, revokeAccount],
];

function showIssued(issued: IssuedAccount, json: boolean): string {
  if (json) return jsonText(issued);
  return `${tableOf(accountColumns, [issued])}\n\n${issued.token}\n\nThis is the only time that the token is shown.`;
}

function loginTable({ name, login }: UserInfo): string {
  const { email = null, role = null, disabled = false, password: has = false } = login ?? {};
  return table([
    ['NAME', 'EMAIL', 'ROLE', 'PASSWORD', 'SIGN-IN'],
    [name, email ?? '-', role ?? '-', has ? 'yes' : 'no', disabled ? 'disabled' : 'enabled'],
  ]);
}
