/** The groups of the admin API's endpoints in the document. */
export const tags = {
  Tokens: "Clients' tokens.",
  Projects: 'Projects with their settings and members.',
  Users: 'Users with their settings and logins.',
  Sessions: 'Signing in and out.',
  'Service accounts': 'Accounts of programs that call the admin API.',
  Catalog: 'Providers, models and prices, of gateway.yaml and of the API.',
  Settings: 'The settings of control.',
  Usage: 'The usage ledger.',
  Requests: 'Logged requests.',
  'Audit log': 'Administrative acts.',
  'Requests in flight': 'Requests that are being answered.',
  Health: 'The health of targets and keys, and checks of the installation.',
} as const;
type Tag = keyof typeof tags;

/** The tag of the paths that begin with `/api/v1/` and a word. */
const byWord: Record<string, Tag> = {
  tokens: 'Tokens',
  token: 'Tokens',
  projects: 'Projects',
  users: 'Users',
  session: 'Sessions',
  accounts: 'Service accounts',
  providers: 'Catalog',
  models: 'Catalog',
  prices: 'Catalog',
  catalog: 'Catalog',
  settings: 'Settings',
  usage: 'Usage',
  requests: 'Requests',
  audit: 'Audit log',
  'running-requests': 'Requests in flight',
  health: 'Health',
  diagnostics: 'Health',
};

/** Returns the tag of a path. @throws Error for a path without one */
export function tagOf(path: string): Tag {
  const tag = byWord[path.split('/')[3] ?? ''];
  if (!tag) throw new Error(`${path} has no tag in the OpenAPI document.`);
  return tag;
}
