import { createHash } from 'node:crypto';
import type { NewToken } from '@model-gateway/admin-api';
import { matchesPattern } from '@model-gateway/canonical';
import { acceptableName, type Limits, validToken } from '../accepted.ts';
import type { Part } from '../account.ts';
import type { ImportedToken } from '../result.ts';
import { type Budgets, modelsOf, type Owner, ownBudget, ownLimits, type Team } from './groups.ts';

/** The teams, users and budgets that keys refer to. */
interface KeyContext {
  teams: ReadonlyMap<string, Team>;
  users: ReadonlyMap<string, Owner>;
  budgets: Budgets;
  /** The models of access groups, by the name of the group. */
  accessGroups: ReadonlyMap<string, readonly string[]>;
  now: Date;
}

/** The team of the sessions of LiteLLM's own pages. */
const dashboardTeam = 'litellm-dashboard';

/** Returns the keys of LiteLLM_VerificationToken as tokens. */
export function tokensOf(rows: readonly Part[], context: KeyContext): ImportedToken[] {
  return rows.flatMap(row => tokenOf(row, context) ?? []);
}

function tokenOf(row: Part, context: KeyContext): ImportedToken | undefined {
  const sha256 = digestOf(row.get('token').text());
  if (!sha256) return row.lose('It has no token, or a hash that is no SHA-256.');
  const [teamId, userId] = [row.get('team_id').text(), row.get('user_id').text()];
  if (teamId === dashboardTeam) return row.lose("It is a session of LiteLLM's own pages.");
  const expires = timeOf(row.get('expires'));
  if (expires === null) return row.lose('The time at which it expires cannot be read.');
  if (expires && expires <= context.now) return row.lose('It has expired.');
  const endpoints = endpointsOf(row.get('allowed_routes'));
  if (endpoints?.length === 0) return row.lose('It may use no endpoint that the gateway has.');
  const kind = row.get('key_type').text();
  if (kind === 'management' || kind === 'read_only')
    return row.lose("It is for LiteLLM's own API. Create a service account: gateway account create.");
  const team = teamId === undefined ? undefined : context.teams.get(teamId);
  const owner = userId === undefined ? undefined : context.users.get(userId);
  if (teamId !== undefined && !team)
    row.get('team_id').change('The team is not among --teams: the project has its id.');
  const { budget, isSpent } = ownBudget(row, context.budgets);
  const { limits, isZero } = limitsOf(row, context);
  const models = scopeOf(modelsOf(row.get('models')), team?.models, context.accessGroups);
  const tags = tagsOf(row.get('metadata'));
  const disabled = reasonToDisable(row, isSpent || isZero, team, owner);
  const short = sha256.slice(0, 8);
  return validToken(row, {
    sha256,
    name: acceptableName(row.get('key_alias').text(), `litellm ${short}`),
    ...(teamId !== undefined && { project: team?.project.name ?? acceptableName(teamId, 'litellm') }),
    ...(userId !== undefined && { owner: owner?.user.name ?? acceptableName(userId, 'litellm') }),
    ...(expires && { expiresAt: expires.toISOString() }),
    ...(models && { models }),
    ...(endpoints && { endpoints }),
    ...(limits && { limits }),
    ...(budget && { budget }),
    ...(Object.keys(tags).length > 0 && { tags }),
    ...(disabled && { disabled: true }),
  });
}

function reasonToDisable(
  row: Part,
  hasNothingLeft: boolean,
  team: Team | undefined,
  owner: Owner | undefined,
): boolean {
  const isBlocked = row.get('blocked').flag() === true;
  const because = team?.disabledBecause ?? owner?.disabledBecause;
  if (because) row.get('token').change(`The token is disabled. ${because}`);
  return isBlocked || hasNothingLeft || because !== undefined;
}

function limitsOf(row: Part, { budgets }: KeyContext) {
  const { limits, isZero } = ownLimits(row, budgets);
  const models = modelLimitsOf(row.get('metadata'));
  if (!models) return { limits, isZero };
  return { limits: { ...limits, models }, isZero };
}

/** Returns the models of a token: those of its key that its team may use, too. Access groups become their models. */
function scopeOf(
  own: string[] | undefined,
  ofTeam: string[] | undefined,
  groups: KeyContext['accessGroups'],
): string[] | undefined {
  const open = (names: string[] | undefined) =>
    names?.flatMap(name => groups.get(name) ?? name).filter(name => name !== 'no-default-models');
  const [key, team] = [open(own?.includes('all-team-models') ? undefined : own), open(ofTeam)];
  if (!key || !team) return key ?? team;
  return key.filter(name => team.some(pattern => name === pattern || matchesPattern(name, pattern)));
}

/** Returns the SHA-256 of a key in hex. LiteLLM stores it so, and kept keys as they are before it hashed them. */
function digestOf(token: string | undefined): string | undefined {
  if (token?.startsWith('sk-')) return createHash('sha256').update(token).digest('hex');
  return token && /^[0-9a-f]{64}$/i.test(token) ? token.toLowerCase() : undefined;
}

/** Reads a time of PostgreSQL or of the API, which are in UTC; null if it cannot be read. */
function timeOf(part: Part): Date | undefined | null {
  const text = part.text();
  if (text === undefined || text === '') return undefined;
  const hasZone = /([zZ]|[+-]\d\d(:?\d\d)?)$/.test(text) && text.includes(':');
  const iso = text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');
  const time = new Date(hasZone ? iso : `${iso}Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}

const limitNames = {
  model_rpm_limit: 'requestsPerMinute',
  model_tpm_limit: 'tokensPerMinute',
} as const;
/** Fields of the metadata that are settings of LiteLLM, and no notes of people. */
const settings =
  /^(tags|guardrails|logging|.*_limit|.*_limits|.*_budget|.*_type|prompts|policies|service_account_id|disable_.*)$/;
const mostTags = 50;
const longestTag = 200;

/** Returns the limits of models in the metadata of a key. */
function modelLimitsOf(metadata: Part): NonNullable<Limits['models']> | undefined {
  const models: NonNullable<Limits['models']> = {};
  for (const [field, limit] of Object.entries(limitNames))
    for (const entry of metadata.get(field).mapping()) {
      const value = entry.number();
      if (value === undefined) continue;
      if (!Number.isInteger(value) || value <= 0) entry.lose('It must be a whole number greater than zero.');
      else if (entry.key.split('*').length > 2) entry.lose('A name may hold one * at most.');
      else models[entry.key] = { ...models[entry.key], [limit]: value };
    }
  return Object.keys(models).length > 0 ? models : undefined;
}

/** Returns the texts in the metadata of a key as tags. */
function tagsOf(metadata: Part): Record<string, string> {
  const tags: Record<string, string> = {};
  if (typeof metadata.value === 'string') return tags;
  for (const field of metadata.mapping()) {
    const isText = ['string', 'number', 'boolean'].includes(typeof field.value);
    if (!isText || settings.test(field.key)) continue;
    const text = field.text() ?? '';
    if (text.length > longestTag || /\p{Cc}/u.test(text + field.key) || Object.keys(tags).length >= mostTags)
      field.lose('It is too long for a tag, or there are too many.');
    else tags[field.key] = text;
  }
  return tags;
}

type EndpointName = NonNullable<NewToken['endpoints']>[number];

/** Endpoints by LiteLLM's routes, without `/v1` at their beginning. */
const endpoints: Readonly<Record<string, EndpointName>> = {
  '/chat/completions': 'chat',
  '/completions': 'completions',
  '/embeddings': 'embeddings',
  '/responses': 'responses',
  '/messages': 'messages',
  '/rerank': 'rerank',
  '/images/generations': 'images',
  '/images/edits': 'images',
  '/images/variations': 'images',
  '/audio/speech': 'speech',
  '/audio/transcriptions': 'transcriptions',
  '/realtime': 'realtime',
};

/** Names of all routes of models. */
const all = new Set(['llm_api_routes', 'openai_routes', '*', '/*']);
const listOfModels = new Set(['/models', '/v1/models', '/model/info', '/v1/model/info']);

/** Returns the endpoints that a key may use: undefined for all, an empty list if it may use none that the gateway has. */
function endpointsOf(part: Part): EndpointName[] | undefined {
  const entries = part.entries();
  const routes = entries.map(entry => entry.text() ?? '');
  if (entries.length === 0 || routes.some(route => all.has(route))) return undefined;
  const found = entries.flatMap((entry, at) => {
    const route = (routes[at] ?? '').replace(/^(\/openai)?\/v\d+(?=\/)/, '').replace(/\/?\*$/, '');
    const endpoint = endpoints[route];
    if (endpoint || listOfModels.has(routes[at] ?? '')) return endpoint ?? [];
    return entry.lose('The gateway has no such endpoint for tokens.') ?? [];
  });
  return [...new Set(found)];
}
