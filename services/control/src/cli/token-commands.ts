import type { NewToken, TokenChange, TokenInfo } from '@model-gateway/admin-api';
import { duration } from '@model-gateway/canonical';
import { type Command, command, text, type Values } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { listOf, pairsOf } from './option-values.ts';
import { listCommand, removeCommand, showCommand } from './record-commands.ts';
import { budgetOf, budgetText, limitsOf, limitsText } from './setting-values.ts';
import { type Columns, jsonText, table, tableOf } from './table.ts';

const id = { name: 'ID', about: 'the id of the token, as in gateway token list', names: 'tokens' } as const;

const settings = {
  owner: text('NAME', 'the user who owns it', { names: 'users' }),
  'expires-at': text('TIME', 'an RFC 3339 time such as 2030-01-31T12:00:00Z'),
  models: text('PATTERNS', "models that it may use, such as 'gpt-*,claude-sonnet-5'", { names: 'models' }),
  endpoints: text('NAMES', 'endpoints that it may use, such as chat,messages'),
  'allowed-addresses': text('RANGES', 'addresses from which it may be used, such as 10.0.0.0/8'),
  limits: text('LIMITS', 'such as requestsPerMinute=100,tokensPerMinute=200000,concurrency=10'),
  budget: text('BUDGET', 'such as 100/month, as for a project'),
  tags: text('TAGS', 'such as team=search,env=prod'),
};

const create = command({
  name: 'token create',
  about: 'Make a token, and show its secret once',
  options: {
    name: text('NAME', 'its name', { required: true }),
    project: text('PROJECT', 'its project (default)', { names: 'projects' }),
    sha256: text('HASH', 'the SHA-256 of an existing secret, in hex, which becomes that of the token'),
    ...settings,
  },
  async run({ admin, values, json }) {
    const { name, project, sha256 } = values;
    const wanted = { name, project, sha256, ...settingsOf(values, { mayRemove: false }) };
    return showIssued(await admin().call('createToken', { body: wanted }), json);
  },
});

const change = command({
  name: 'token change',
  about: 'Change settings of a token; those that are not given stay, and an empty text removes one',
  argument: id,
  options: {
    name: text('NAME', 'its name'),
    project: text('PROJECT', 'its project', { names: 'projects' }),
    ...settings,
  },
  async run({ admin, values, argument, json }) {
    const { name, project } = values;
    const wanted = settingsOf(values);
    const client = admin();
    const params = { id: argument };
    // Those of models stay.
    const before = wanted.limits && (await client.call('showToken', { params })).limits;
    const changed = {
      ...(name !== undefined && { name }),
      ...(project !== undefined && { project }),
      ...settingsOf(values, { before }),
    };
    return show(await client.call('changeToken', { params, body: changed }), json);
  },
});

const rotate = command({
  name: 'token rotate',
  about: 'Give a token a new secret, and show it once',
  argument: id,
  options: { grace: text('TIME', 'how long the old secret stays valid, such as 90s, 15m, 12h or 7d') },
  async run({ admin, values, argument, json }) {
    const body = { graceSeconds: secondsOf(values.grace) };
    return showIssued(await admin().call('rotateToken', { params: { id: argument }, body }), json);
  },
});

const disable = switchCommand('disable', 'Refuse a token until it is enabled', { disabled: true });
const enable = switchCommand('enable', 'Accept a disabled token again', { disabled: false });

function switchCommand(verb: string, about: string, body: TokenChange): Command {
  return command({
    name: `token ${verb}`,
    about,
    argument: id,
    run: async ({ admin, argument, json }) =>
      show(await admin().call('changeToken', { params: { id: argument }, body }), json),
  });
}

const columns: Columns<TokenInfo> = {
  head: ['ID', 'TOKEN', 'NAME', 'PROJECT', 'OWNER', 'EXPIRES', 'LAST USED'],
  row: ({ id, prefix, name, project, owner, expiresAt, lastUsedAt, disabled }) => [
    ...[id, `${prefix}…`, name, project, owner ?? '-'],
    ...[disabled ? 'disabled' : (expiresAt ?? 'never'), lastUsedAt ?? 'never'],
  ],
};

const list = listCommand({
  name: 'token list',
  about: 'List the tokens',
  endpoint: 'listTokens',
  ...columns,
});

const showOne = showCommand({
  name: 'token show',
  about: 'Show a token, with what it may do',
  argument: id,
  endpoint: 'showToken',
  print: details,
});

const revoke = removeCommand({
  name: 'token revoke',
  about: 'Revoke a token for good',
  argument: id,
  endpoint: 'revokeToken',
  done: id => ({ sentence: `Token ${id} is revoked.`, result: { id, revoked: true } }),
});

export const tokenCommands: readonly Command[] = [
  ...[create, list, showOne, change, rotate, disable, enable, revoke],
];

/** Returns the given settings; null for those that are removed, which a new token has none of. `before`: the limits as they are. */
function settingsOf(
  values: Values<typeof settings>,
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

function tagsOf(tags: string | undefined): Record<string, string> | '' | undefined {
  if (!tags) return tags as '' | undefined;
  return pairsOf('tags', tags, 'team=search');
}

function secondsOf(grace: string | undefined): number {
  if (grace === undefined) return 0;
  const parsed = duration.safeParse(grace);
  if (!parsed.success) throw new UsageError('--grace must be a time such as 90s, 15m, 12h or 7d');
  return Math.ceil(parsed.data / 1_000);
}

function show(token: TokenInfo, json: boolean): string {
  return json ? jsonText(token) : tableOf(columns, [token]);
}

function showIssued(issued: TokenInfo & { token: string | null }, json: boolean): string {
  if (json) return jsonText(issued);
  const note = issued.token
    ? `\n\n${issued.token}\n\nThis is the only time that the token is shown.`
    : '\n\nThe secret is the one whose SHA-256 was given.';
  return tableOf(columns, [issued]) + note;
}

function details(token: TokenInfo): string {
  const listText = (items: readonly string[] | null, none: string) => items?.join(', ') ?? none;
  return table([
    ['ID', token.id],
    ['TOKEN', `${token.prefix}…`],
    ['NAME', token.name],
    ['PROJECT', token.project],
    ['OWNER', token.owner ?? '-'],
    ['CREATED', token.createdAt],
    ['EXPIRES', token.expiresAt ?? 'never'],
    ['LAST USED', token.lastUsedAt ?? 'never'],
    ['DISABLED', token.disabled ? 'yes' : 'no'],
    ['MODELS', listText(token.models, 'all')],
    ['ENDPOINTS', listText(token.endpoints, 'all')],
    ['ADDRESSES', listText(token.allowedAddresses, 'all')],
    ['LIMITS', limitsText(token.limits)],
    ['BUDGET', budgetText(token.budget)],
    ['TAGS', pairsText(token.tags)],
  ]);
}

function pairsText(tags: TokenInfo['tags']): string {
  return (
    Object.entries(tags)
      .map(([name, value]) => `${name}=${value}`)
      .join(', ') || '-'
  );
}
