import { isDeepStrictEqual } from 'node:util';
import type { EntryChange } from '@model-gateway/admin-api';
import { type Act, recordAct } from '../audit/record.ts';
import type { Database } from '../database/database.ts';
import {
  findGroup,
  groupChange,
  listGroups,
  setGroup,
  type TokenGroup,
  type TokenGroups,
} from '../token-groups.ts';
import type { Applied, Changer } from './apply-entries.ts';
import { differences } from './differences.ts';
import { managedByFile } from './refusal.ts';

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
  const applied: Applied = { changes: [], published: [] };
  for (const [at, entry] of wanted.entries()) {
    const { name, ...settings } = entry;
    await setOne(tx, groups, { name, settings: settings as unknown as Settings, at }, changer, applied);
  }
  if (!prune) return applied;
  const names = new Set(wanted.map(({ name }) => name));
  for (const { name, own, settings, entry } of await listGroups(tx, groups)) {
    if (names.has(name) || Object.keys(own).length === 0) continue;
    const stays = Object.keys(own).every(field => field in (entry?.settings ?? {}));
    if (!stays || entry === undefined)
      await setOne(tx, groups, { name, settings: {} as Settings, before: settings }, changer, applied);
  }
  return applied;
}

interface WantedGroup<Settings> {
  name: string;
  settings: Settings;
  /** Its index in the document; absent for one that is not in it. */
  at?: number;
  before?: Partial<Settings>;
}

async function setOne<Settings extends object>(
  tx: Database,
  groups: TokenGroups<Settings>,
  { name, settings, at }: WantedGroup<Settings>,
  { actor, action, file }: Changer,
  applied: Applied,
): Promise<void> {
  const { kind } = groups;
  const before = await findGroup(tx, groups, name);
  if (before && isDeepStrictEqual(before.settings, settings)) {
    applied.changes.push({ kind, name, change: 'unchanged', fields: [] });
    return;
  }
  const { group, refusal } = await setGroup(tx, groups, name, settings);
  if (refusal?.because === 'file') {
    const [place, param] = [refusal.position, at].map(index => `${kind}s[${index}].${refusal.field}`);
    throw managedByFile(`The ${kind} ${JSON.stringify(name)}`, file, place ?? '', param);
  }
  if (!group) return;
  const change = changeOf(kind, before, group);
  applied.changes.push(change);
  if (change.change === 'unchanged') return;
  applied.published.push(groupChange(groups, group));
  const act: Act = {
    action,
    subject: { kind, id: group.id, name },
    ...(kind === 'project' && { project: name }),
    before: before ? { name, ...before.settings } : null,
    after: { name, ...group.settings },
  };
  await recordAct(tx, actor, act);
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
