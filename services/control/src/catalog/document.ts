import type { CatalogDocument } from '@model-gateway/admin-api';
import type { Database } from '../database/database.ts';
import { listGroups, projectGroups, type TokenGroups, userGroups } from '../people/token-groups.ts';
import { readAllEntries } from './entries.ts';
import { showModel, showProvider, withoutDefaults } from './shown.ts';

/** Returns everything in force in the form of gateway.yaml, with marks in place of secrets. Applied again, it changes nothing. */
export async function catalogInForce(db: Database): Promise<CatalogDocument> {
  const { providers, models } = await readAllEntries(db);
  return {
    providers: providers.map(({ name, data }) => ({ ...withoutDefaults(showProvider(data)), name })),
    models: models.map(({ name, data }) => ({ ...withoutDefaults(showModel(data)), name })),
    projects: await settingsInForce(db, projectGroups),
    users: await settingsInForce(db, userGroups),
  };
}

/** Returns the projects or users that have settings. */
async function settingsInForce<Settings extends object>(db: Database, groups: TokenGroups<Settings>) {
  const found = await listGroups(db, groups);
  return found
    .filter(({ settings }) => Object.keys(settings).length > 0)
    .map(({ name, settings }) => ({ name, ...settings }));
}
