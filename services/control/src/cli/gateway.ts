import type { NewToken, TokenChange, TokenInfo } from '@model-gateway/admin-api';
import { duration } from '@model-gateway/canonical';
import type { Env } from '@model-gateway/service';
import { Admin, readAccess, readTarget } from './admin.ts';
import { auditCommands } from './audit-commands.ts';
import {
  type Command,
  listOf,
  type Options,
  type Printed,
  pairsOf,
  parseCommandLine,
  table,
  UsageError,
} from './command.ts';
import { budgetOf, limitsOf, projectCommands, userCommands } from './group-commands.ts';
import { login, logout, password, sessionCommands } from './login-commands.ts';
import { accountCommands, loginOfUserCommands, memberCommands } from './people-commands.ts';
import { requestCommands } from './request-commands.ts';
import { usageCommands } from './usage-commands.ts';

export const usage = `Usage:
  gateway login [--user NAME] [--password-file FILE] [--json]
  gateway logout [--json]
  gateway password [--json]
  gateway session show [--json]
  gateway token create --name NAME [--project PROJECT] [--sha256 HASH] [SETTINGS] [--json]
  gateway token change ID [--name NAME] [--project PROJECT] [SETTINGS] [--json]
  gateway token rotate ID [--grace TIME] [--json]
  gateway token disable ID [--json]
  gateway token enable ID [--json]
  gateway token list [--json]
  gateway token revoke ID [--json]
  gateway project list [--json]
  gateway project show NAME [--json]
  gateway project set NAME [PROJECT SETTINGS] [--json]
  gateway project delete NAME [--json]
  gateway user list [--json]
  gateway user show NAME [--json]
  gateway user set NAME [--budget BUDGET] [--json]
  gateway user delete NAME [--json]
  gateway user login NAME [--email EMAIL] [--role admin] [--disabled yes|no] [--json]
  gateway user password NAME [--password-file FILE] [--json]
  gateway user remove-login NAME [--json]
  gateway member list --project NAME [--json]
  gateway member set NAME --project NAME --role manager|member|viewer [--json]
  gateway member remove NAME --project NAME [--json]
  gateway account list [--json]
  gateway account create --name NAME --role admin|manager|viewer [--projects NAMES] --expires-at TIME [--json]
  gateway account rotate ID --expires-at TIME [--json]
  gateway account revoke ID [--json]
  gateway usage totals [--by GROUP] [FILTER] [--json]
  gateway usage list [--limit NUMBER] [--before ID] [FILTER] [--json]
  gateway usage export [--format csv|jsonl] [FILTER]
  gateway request list [--limit NUMBER] [FILTER] [--json]
  gateway request show ID [--json]
  gateway request delete ID [--json]
  gateway audit list [AUDIT FILTER] [--limit NUMBER] [--before ID] [--json]

SETTINGS of a token; an empty text removes one:
  --owner NAME               the user who owns it
  --expires-at TIME          an RFC 3339 time such as 2030-01-31T12:00:00Z
  --models PATTERNS          models that it may use, such as 'gpt-*,claude-sonnet-5'
  --endpoints NAMES          endpoints that it may use, such as chat,messages
  --allowed-addresses RANGES addresses from which it may be used, such as 10.0.0.0/8
  --limits LIMITS            such as requestsPerMinute=100,tokensPerMinute=200000,concurrency=10
  --budget BUDGET            as for a project
  --tags TAGS                such as team=search,env=prod

PROJECT SETTINGS; those that are not given stay, and an empty text removes one:
  --limits LIMITS            as for a token
  --budget BUDGET            US dollars a day, week, month or in total, such as 100/month;
                             100/month,ends-streams also ends running streams once it is spent
  --allow-unpriced yes|no    'yes' for models without a price though there is a budget
  --weight NUMBER            share of busy workers, beside those of other projects
  --store-responses yes|no   'no' stores none of its responses
  --logging LOGGING          stores the texts of requests and answers, such as
                             sample=0.1,redact=email+phone,retentionDays=7,maxBytes=20000

GROUP of usage: token, project, owner, model (default), provider, day, or a tag such as tag:team.

FILTER of usage, and without --provider and --tag of logged requests:
  --from TIME, --to TIME     RFC 3339 times; --to is exclusive
  --token ID, --project NAME, --owner NAME, --model NAME, --provider NAME
  --tag NAME:VALUE           a tag of the token; of several, an attempt has each

AUDIT FILTER:
  --from TIME, --to TIME     RFC 3339 times; --to is exclusive
  --actor NAME               the user or service account that did it
  --action NAME              such as createToken
  --subject NAME             the name or id of what was changed
  --project NAME

login and password ask for passwords, or read a line for each from standard input. FILE holds a password.

HASH is the SHA-256 of an existing secret, in hex. The TIME of --grace is such as 90s, 15m, 12h or 7d.

Settings:
  GATEWAY_URL          where the gateway is (http://127.0.0.1:8080)
  GATEWAY_ADMIN_TOKEN  the admin token, or the token of a service account; if unset, the session of
                       gateway login, or else the file admin-token in GATEWAY_DATA
  GATEWAY_LOGIN_FILE   the file with the sessions (.config/model-gateway/logins.json at home)
  GATEWAY_DATA         the gateway's data folder (.gateway)`;

/** Runs a command line and returns what to print. @throws UsageError for an invalid command line, else Error */
export async function gateway(args: string[], env?: Env): Promise<Printed> {
  const { values, positionals } = parseCommandLine(args);
  if (values.help) return usage;
  const [subject, verb, ...others] = positionals;
  const found = subjects[subject ?? ''];
  const command = isCommand(found) ? found : found?.[verb ?? ''];
  const name = isCommand(found) ? subject : `${subject} ${verb}`;
  const rest = isCommand(found) ? positionals.slice(1) : others;
  if (!command)
    throw new UsageError(subject ? `unknown command '${positionals.join(' ')}'` : 'no command was given');
  const stray = Object.keys(values).find(option => option !== 'json' && !command.takes.includes(option));
  if (stray) throw new UsageError(`${name} does not accept --${stray}`);
  if (command.argument && !rest[0]) throw new UsageError(`${command.argument} is required`);
  const unexpected = rest[command.argument ? 1 : 0];
  if (unexpected !== undefined) throw new UsageError(`unexpected argument '${unexpected}'`);
  return command.run(
    () => new Admin(readAccess(env)),
    values,
    rest[0] ?? '',
    () => readTarget(env),
  );
}

const settingNames = [
  'owner',
  'expires-at',
  'models',
  'endpoints',
  'allowed-addresses',
  'limits',
  'budget',
  'tags',
];

function isCommand(found: Command | Commands | undefined): found is Command {
  return typeof found?.run === 'function';
}

type Commands = Partial<Record<string, Command>>;

const tokenCommands: Commands = {
  create: {
    takes: ['name', 'project', 'sha256', ...settingNames],
    async run(admin, values) {
      const { name, project, sha256, json } = values;
      if (!name) throw new UsageError('--name is required');
      return showIssued(
        await admin().create({ name, project, sha256, ...settingsOf(values, { mayRemove: false }) }),
        json,
      );
    },
  },
  change: {
    takes: ['name', 'project', ...settingNames],
    argument: 'ID',
    async run(admin, values, id) {
      const { name, project, json } = values;
      const settings = settingsOf(values);
      const client = admin();
      // Those of models stay.
      const before = settings.limits && (await client.list()).find(token => token.id === id)?.limits;
      const change = {
        ...(name !== undefined && { name }),
        ...(project !== undefined && { project }),
        ...settingsOf(values, { before }),
      };
      return show(await client.change(id, change), json);
    },
  },
  rotate: {
    takes: ['grace'],
    argument: 'ID',
    async run(admin, { grace, json }, id) {
      return showIssued(await admin().rotate(id, secondsOf(grace)), json);
    },
  },
  disable: {
    takes: [],
    argument: 'ID',
    run: async (admin, { json }, id) => show(await admin().change(id, { disabled: true }), json),
  },
  enable: {
    takes: [],
    argument: 'ID',
    run: async (admin, { json }, id) => show(await admin().change(id, { disabled: false }), json),
  },
  list: {
    takes: [],
    async run(admin, { json }) {
      const tokens = await admin().list();
      return json ? JSON.stringify({ data: tokens }, null, 2) : tokenTable(tokens);
    },
  },
  revoke: {
    takes: [],
    argument: 'ID',
    async run(admin, { json }, id) {
      await admin().revoke(id);
      return json ? JSON.stringify({ id, revoked: true }) : `Token ${id} is revoked.`;
    },
  },
};

/** The commands by their first word: one, or several by their second word. */
const subjects: Partial<Record<string, Command | Commands>> = {
  login,
  logout,
  password,
  session: sessionCommands,
  token: tokenCommands,
  project: projectCommands,
  user: { ...userCommands, ...loginOfUserCommands },
  member: memberCommands,
  account: accountCommands,
  usage: usageCommands,
  request: requestCommands,
  audit: auditCommands,
};

/** Returns the given settings; null for those that are removed, which a new token has none of. `before`: the limits as they are. */
function settingsOf(
  values: Options,
  { mayRemove = true, before }: { mayRemove?: boolean; before?: TokenInfo['limits'] | undefined } = {},
): Omit<NewToken & TokenChange, 'name' | 'disabled' | 'project' | 'sha256'> {
  const given = {
    owner: values.owner,
    expiresAt: values['expires-at'],
    models: listOf(values.models),
    endpoints: listOf(values.endpoints) as TokenChange['endpoints'],
    allowedAddresses: listOf(values['allowed-addresses']),
    limits: values.limits === '' ? '' : limitsOf(values.limits, before),
    budget: values.budget === '' ? '' : budgetOf(values.budget),
    tags: tagsOf(values.tags),
  };
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  if (!mayRemove && entries.some(([, value]) => value === ''))
    throw new UsageError('a setting of a new token must not be empty');
  return Object.fromEntries(entries.map(([name, value]) => [name, value === '' ? null : value]));
}

function tagsOf(text: string | undefined): Record<string, string> | '' | undefined {
  if (!text) return text as '' | undefined;
  return pairsOf('tags', text, 'team=search');
}

function secondsOf(grace: string | undefined): number {
  if (grace === undefined) return 0;
  const parsed = duration.safeParse(grace);
  if (!parsed.success) throw new UsageError('--grace must be a time such as 90s, 15m, 12h or 7d');
  return Math.ceil(parsed.data / 1_000);
}

function show(token: TokenInfo, json = false): string {
  return json ? JSON.stringify(token, null, 2) : tokenTable([token]);
}

function showIssued(issued: TokenInfo & { token: string | null }, json = false): string {
  if (json) return JSON.stringify(issued, null, 2);
  const note = issued.token
    ? `\n\n${issued.token}\n\nThis is the only time that the token is shown.`
    : '\n\nThe secret is the one whose SHA-256 was given.';
  return tokenTable([issued]) + note;
}

function tokenTable(tokens: TokenInfo[]): string {
  const rows = tokens.map(({ id, prefix, name, project, owner, expiresAt, lastUsedAt, disabled }) => [
    id,
    `${prefix}…`,
    name,
    project,
    owner ?? '-',
    disabled ? 'disabled' : (expiresAt ?? 'never'),
    lastUsedAt ?? 'never',
  ]);
  return table([['ID', 'TOKEN', 'NAME', 'PROJECT', 'OWNER', 'EXPIRES', 'LAST USED'], ...rows]);
}
