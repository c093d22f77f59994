import { resolve } from 'node:path';
import {
  asksForRole,
  type EndpointName,
  endpoints,
  permissions,
  projectRoles,
  type RoleEndpoint,
  type Scope,
} from '@model-gateway/admin-api';
import { writeTable } from '../limits/table.ts';

/** The file that holds the page. */
export const path = resolve(import.meta.dirname, '../../roles.md');

const words: Record<Scope, string> = { project: 'project', own: 'own tokens' };

/** Renders the table of permissions as a page. */
export function page(): string {
  const names = (Object.keys(endpoints) as EndpointName[]).filter(asksForRole);
  return `# Roles

<!-- Made by npm run docs from shared/admin-api/src/permissions.ts. -->

A role says what a [user or service account](people.md) may see and do with the admin API, its command and the console. \`admin\` is a role in the whole
installation, the others are roles in one project. A user may have another role in each project.

${writeTable([['role', 'in short'], ...inShort])}

What a project has is decided by admins: its limits, budget and prices.

- **project**: for all that belongs to the projects in which the caller has the role. Lists hold only that.
- **own tokens**: for tokens that the caller owns, in these projects.
- **-**: refused with 403 \`insufficient_permissions\`. A project or token in which the caller has no role is a 404, as one that does not exist.

A manager may make users of the project its tokens' owners, and no others, because what a token uses counts for the budget of its owner. A manager also gives
users their roles in the project: make someone manager whom you trust with the budgets of users.

A member may make tokens, so the settings of one token do not bind its owner. What binds a member are the limits and budget of the project, and the budget of the user.

A project is its name: its usage, logged requests and audit entries stay with the name when it is deleted. Give the name to another team only if it may see them.

${writeTable([['endpoint', 'admin', ...projectRoles, ''], ...names.map(row)])}

Everyone who is signed in, and each service account, may see itself (\`GET /api/v1/session\`). Users may also sign out and change their password. Clients' tokens
have no role: they get 403 \`admin_token_required\`.
`;
}

const inShort = [
  ['`admin`', 'everything'],
  [
    '`manager`',
    'hands out what a project has: its tokens and the roles of its users; reads its [logged requests](request-logging.md) and its part of the [audit log](audit.md)',
  ],
  ['`member`', 'makes and changes tokens of their own in a project, and sees what a viewer sees'],
  ['`viewer`', 'sees a project with its settings, tokens without their secrets, members and usage'],
];

function row(name: RoleEndpoint): string[] {
  const { method, path: at, summary } = endpoints[name];
  const scopes = projectRoles.map(role => {
    const scope = permissions[name][role];
    return scope ? words[scope] : '-';
  });
  return [`\`${method.toUpperCase()} ${at}\``, 'all', ...scopes, summary];
}
