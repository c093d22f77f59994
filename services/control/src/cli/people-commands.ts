import type { AccountInfo, IssuedAccount, Member, NewAccount, UserInfo } from '@model-gateway/admin-api';
import { answerOf, type Command, listOf, required, table, UsageError } from './command.ts';
import { passwordOf } from './password.ts';

type Commands = Partial<Record<string, Command>>;

/** The commands for the logins of users. */
export const loginOfUserCommands: Commands = {
  login: {
    takes: ['email', 'role', 'disabled'],
    argument: 'NAME',
    async run(admin, values, name) {
      const { email, role } = values;
      if (role !== undefined && role !== 'admin' && role !== '')
        throw new UsageError("--role must be admin, or '' for no admin");
      const disabled = answerOf('disabled', values);
      const changed = await admin().people.changeLogin(name, {
        ...(email !== undefined && { email: email || null }),
        ...(role !== undefined && { role: role || null }),
        ...(disabled !== undefined && { disabled: disabled ?? false }),
      });
      return values.json ? JSON.stringify(changed, null, 2) : loginTable(changed);
    },
  },
  'remove-login': {
    takes: [],
    argument: 'NAME',
    async run(admin, { json }, name) {
      await admin().people.removeLogin(name);
      return json ? JSON.stringify({ name, login: null }) : `${name} cannot sign in any more.`;
    },
  },
  password: {
    takes: ['password-file'],
    argument: 'NAME',
    async run(admin, values, name) {
      const file = values['password-file'];
      const given = file === undefined ? undefined : passwordOf(file);
      const made = await admin().people.resetPassword(name, given);
      if (values.json) return JSON.stringify({ name, password: made });
      if (made === null) return `${name} has the given password.`;
      return `${made}\n\nThis is the only time that the password of ${name} is shown.`;
    },
  },
};

export const memberCommands: Commands = {
  list: {
    takes: ['project'],
    async run(admin, values) {
      const data = await admin().people.members(required('project', values));
      return values.json ? JSON.stringify({ data }, null, 2) : memberTable(data);
    },
  },
  set: {
    takes: ['project', 'role'],
    argument: 'NAME',
    async run(admin, values, user) {
      const [project, role] = [required('project', values), required('role', values)];
      const set = await admin().people.setMember(project, user, role as Member['role']);
      return values.json ? JSON.stringify(set, null, 2) : memberTable([set]);
    },
  },
  remove: {
    takes: ['project'],
    argument: 'NAME',
    async run(admin, values, user) {
      const project = required('project', values);
      await admin().people.removeMember(project, user);
      return values.json
        ? JSON.stringify({ user, project, role: null })
        : `${user} has no role in ${project} any more.`;
    },
  },
};

/** The commands for service accounts. */
export const accountCommands: Commands = {
  list: {
    takes: [],
    async run(admin, { json }) {
      const data = await admin().people.accounts();
      return json ? JSON.stringify({ data }, null, 2) : accountTable(data);
    },
  },
  create: {
    takes: ['name', 'role', 'projects', 'expires-at'],
    async run(admin, values) {
      const wanted = {
        name: required('name', values),
        role: required('role', values) as NewAccount['role'],
        projects: listOf(values.projects) || null,
        expiresAt: required('expires-at', values),
      };
      return showIssued(await admin().people.createAccount(wanted), values.json);
    },
  },
  rotate: {
    takes: ['expires-at'],
    argument: 'ID',
    async run(admin, values, id) {
      return showIssued(await admin().people.rotateAccount(id, required('expires-at', values)), values.json);
    },
  },
  revoke: {
    takes: [],
    argument: 'ID',
    async run(admin, { json }, id) {
      await admin().people.revokeAccount(id);
      return json ? JSON.stringify({ id, revoked: true }) : `Service account ${id} is revoked.`;
    },
  },
};

function showIssued(issued: IssuedAccount, json = false): string {
  if (json) return JSON.stringify(issued, null, 2);
  return `${accountTable([issued])}\n\n${issued.token}\n\nThis is the only time that the token is shown.`;
}

function loginTable({ name, login }: UserInfo): string {
  const { email = null, role = null, disabled = false, password: has = false } = login ?? {};
  return table([
    ['NAME', 'EMAIL', 'ROLE', 'PASSWORD', 'SIGN-IN'],
    [name, email ?? '-', role ?? '-', has ? 'yes' : 'no', disabled ? 'disabled' : 'enabled'],
  ]);
}

function memberTable(members: Member[]): string {
  return table([['NAME', 'ROLE'], ...members.map(({ user, role }) => [user, role])]);
}

function accountTable(accounts: AccountInfo[]): string {
  const rows = accounts.map(({ id, prefix, name, role, projects, expiresAt, lastUsedAt }) => [
    id,
    `${prefix}…`,
    name,
    role,
    projects.join(',') || '-',
    expiresAt,
    lastUsedAt ?? 'never',
  ]);
  return table([['ID', 'TOKEN', 'NAME', 'ROLE', 'PROJECTS', 'EXPIRES', 'LAST USED'], ...rows]);
}
