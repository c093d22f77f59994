import type { NewToken, TokenChange, TokenInfo } from '@model-gateway/admin-api';
import { duration } from '@model-gateway/canonical';
import { type Command, command, text, type Values } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { budgetOf, budgetText, limitsOf, limitsText } from './group-commands.ts';
import { listOf, pairsOf } from './option-values.ts';
import { jsonText, table } from './table.ts';

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
    return showIssued(await admin().create(wanted), json);
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
    // Those of models stay.
    const before = wanted.limits && (await client.show(argument)).limits;
    const changed = {
      ...(name !== undefined && { name }),
      ...(project !== undefined && { project }),
      ...settingsOf(values, { before }),
    };
    return show(await client.change(argument, changed), json);
  },
});

const rotate = command({
  name: 'token rotate',
  about: 'Give a token a new secret, and show it once',
  argument: id,
  options: { grace: text('TIME', 'how long the old secret stays valid, such as 90s, 15m, 12h or 7d') },
  async run({ admin, values, argument, json }) {
    return showIssued(await admin().rotate(argument, secondsOf(values.grace)), json);
  },
});

const disable = command({
  name: 'token disable',
  about: 'Refuse a token until it is enabled',
  argument: id,
  run: async ({ admin, argument, json }) => show(await admin().change(argument, { disabled: true }), json),
});

const enable = command({
  name: 'token enable',
  about: 'Accept a disabled token again',
  argument: id,
  run: async ({ admin, argument, json }) => show(await admin().change(argument, { disabled: false }), json),
});

const list = command({
  name: 'token list',
  about: 'List the tokens',
  async run({ admin, json }) {
    const tokens = await admin().list();
    return json ? jsonText({ data: tokens }) : tokenTable(tokens);
  },
});

const showOne = command({
  name: 'token show',
  about: 'Show a token, with what it may do',
  argument: id,
  async run({ admin, argument, json }) {
    const token = await admin().show(argument);
    return json ? jsonText(token) : details(token);
  },
});

const revoke = command({
  name: 'token revoke',
  about: 'Revoke a token for good',
  argument: id,
  async run({ admin, argument, json }) {
    await admin().revoke(argument);
    return json ? JSON.stringify({ id: argument, revoked: true }) : `Token ${argument} is revoked.`;
  },
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
  return json ? jsonText(token) : tokenTable([token]);
}

function showIssued(issued: TokenInfo & { token: string | null }, json: boolean): string {
  if (json) return jsonText(issued);
  const note = issued.token
    ? `\n\n${issued.token}\n\nThis is the only time that the token is shown.`
    : '\n\nThe secret is the one whose SHA-256 was given.';
  return tokenTable([issued]) + note;
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
