import { isDeepStrictEqual } from 'node:util';
import type { EntryChange } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import { type AuditEvent, recordEvent } from '../audit/record.ts';
import type { Database } from '../database/database.ts';
import {
  groupChange,
  listGroups,
  setGroup,
  type TokenGroup,
  type TokenGroups,
} from '../people/token-groups.ts';
import type { Applied, Changer } from './apply-entries.ts';
import { differences } from './differences.ts';

/** The most projects, and the most users, that change by one document. */
const mostChanges = 1_000;

/**
 * Sets the settings of projects or users. With `prune`, the API's settings of the others are removed; the projects and users stay,
 * since tokens belong to them. @throws GatewayError if gateway.yaml states another value
 */
export async function applyGroupSettings<Settings extends object>(
  tx: Database,
  groups: TokenGroups<Settings>,
  wanted: readonly (Settings & { name: string })[],
  { prune, ...changer }: Changer & { prune: boolean },
): Promise<Applied> {
  const all = requestedGroups(await listGroups(tx, groups), wanted, prune);
  assertBounded(groups.kind, all.filter(differs).length);
  const applied: Applied = { changes: [], published: [] };
  for (const group of all) await setOne(tx, groups, group, changer, applied);
  return applied;
}

interface RequestedGroup<Settings extends object> {
  name: string;
  settings: Settings;
  /** Its index in the document; absent for one that is not in it. */
  at?: number;
  /** Undefined if it is new. */
  before: TokenGroup<Settings> | undefined;
}

/** Returns the groups of a document; with `prune`, also those that lose the API's settings. */
function requestedGroups<Settings extends object>(
  inForce: readonly TokenGroup<Settings>[],
  wanted: readonly (Settings & { name: string })[],
  prune: boolean,
): RequestedGroup<Settings>[] {
  const byName = new Map(inForce.map(group => [group.name, group]));
  const named = wanted.map(({ name, ...settings }, at) => {
    return { name, settings: settings as unknown as Settings, at, before: byName.get(name) };
  });
  if (!prune) return named;
  const names = new Set(wanted.map(({ name }) => name));
  const isGone = ({ name, managedBy, settings }: TokenGroup<Settings>) =>
    !names.has(name) && managedBy === 'api' && Object.keys(settings).length > 0;
  const gone = inForce.filter(isGone).map(before => {
    return { name: before.name, settings: {} as Settings, before };
  });
  return [...named, ...gone];
}

function differs<Settings extends object>({ before, settings }: RequestedGroup<Settings>): boolean {
  return !before || !isDeepStrictEqual(before.settings, settings);
}

/** Each change is written by itself, and other changes of the catalog wait meanwhile. @throws GatewayError if there are too many */
function assertBounded(kind: EntryChange['kind'], changes: number): void {
  if (changes <= mostChanges) return;
  const message = `${kind}s: at most ${mostChanges} of them may change at once. Apply them in parts.`;
  throw new GatewayError('invalid-request', message, { param: `${kind}s`, code: 'invalid_value' });
}

async function setOne<Settings extends object>(
  tx: Database,
  groups: TokenGroups<Settings>,
  wanted: RequestedGroup<Settings>,
  { actor, action, placeOf }: Changer,
  applied: Applied,
): Promise<void> {
  const { kind } = groups;
  const { name, settings, at, before } = wanted;
  if (!differs(wanted)) {
    applied.changes.push({ kind, name, change: 'unchanged', fields: [] });
    return;
  }
  const { group } = await setGroup(tx, groups, name, settings, { placeOf, param: `${kind}s[${at}]` });
  const change = changeOf(kind, before, group);
  applied.changes.push(change);
  applied.published.push(groupChange(groups, group));
  const act: AuditEvent = {
    action,
    subject: { kind, id: group.id, name },
    ...(kind === 'project' && { project: name }),
    before: before ? { name, ...before.settings } : null,
    after: { name, ...group.settings },
  };
  await recordEvent(tx, actor, act);
}

function changeOf<Settings extends object>(
  kind: EntryChange['kind'],
  before: TokenGroup<Settings> | undefined,
  { name, settings }: TokenGroup<Settings>,
): EntryChange {
  if (!before) return { kind, name, change: 'created', fields: differences(null, settings) };
  const fields = differences(before.settings, settings);
  return { kind, name, change: fields.length > 0 ? 'changed' : 'unchanged', fields };
}
