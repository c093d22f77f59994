import {
  type EndpointName,
  entriesQuery,
  type ModelInfo,
  modelSettings,
  type ProviderInfo,
  providerSettings,
} from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import type { Sealer } from '@model-gateway/catalog';
import type { Request, RequestHandler, Response } from 'express';
import { applyDocument } from '../catalog/change-catalog.ts';
import { deleteEntry } from '../catalog/delete-entry.ts';
import { type Entries, type Entry, readAllEntries } from '../catalog/entries.ts';
import { modelKind, providerKind } from '../catalog/kinds.ts';
import { type EntryProblem, entryProblems } from '../catalog/problems.ts';
import type { References } from '../catalog/references.ts';
import { showModel, showProvider } from '../catalog/shown.ts';
import { supportBy } from '../catalog/support.ts';
import { invalidField } from '../common/invalid-fields.ts';
import type { PlaceOf } from '../common/managed-by-file.ts';
import type { Database } from '../database/database.ts';
import type { Projector } from '../projection/projector.ts';
import { actorOf } from './admitted.ts';
import { assertConditions, sendResource, tagOf } from './conditions.ts';
import { Pages, placeByNumber } from './paging.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';
import { shownSettings } from './shown-settings.ts';

export interface CatalogApi {
  db: Database;
  projector: Projector;
  sealer: Sealer;
  /** The variables and files of workers that providers of the API may name. */
  references: References;
  placeOf: PlaceOf;
  /** Called once an entry of gateway.yaml was moved to the database. */
  adopted(): void;
}

/** The handlers for providers. A change is confirmed only once KV has it. */
export function providerHandlers(
  api: CatalogApi,
): Pick<Handlers, 'listProviders' | 'showProvider' | 'setProvider' | 'deleteProvider'> {
  const { list, show, set, remove } = entryHandlers<ProviderInfo>(api, {
    kind: 'provider',
    all(entries) {
      const problems = entryProblems(entries);
      return entries.providers.map(entry => ({
        ...identityOf('provider', entry, problems, api.placeOf),
        ...settingsOfProvider(entry),
        discovered: listShown(entry, entries),
      }));
    },
    acts: { set: 'setProvider', remove: 'deleteProvider' },
    remove: (name, changer) => deleteEntry(api.db, providerKind(api.sealer), name, changer),
  });
  return { listProviders: list, showProvider: show, setProvider: set, deleteProvider: remove };
}

/** The handlers for models. A change is confirmed only once KV has it. */
export function modelHandlers(
  api: CatalogApi,
): Pick<Handlers, 'listCatalogModels' | 'showCatalogModel' | 'setModel' | 'deleteModel'> {
  const { list, show, set, remove } = entryHandlers<ModelInfo>(api, {
    kind: 'model',
    all(entries) {
      const problems = entryProblems(entries);
      const support = supportBy(entries);
      return [...entries.models, ...entries.discovered].map(entry => ({
        ...identityOf('model', entry, problems, api.placeOf),
        ...settingsOfModel(entry),
        operations: support(entry.data).operations,
      }));
    },
    acts: { set: 'setModel', remove: 'deleteModel' },
    remove: (name, changer) => deleteEntry(api.db, modelKind, name, changer),
  });
  return { listCatalogModels: list, showCatalogModel: show, setModel: set, deleteModel: remove };
}

interface Described<Info> {
  kind: 'provider' | 'model';
  all(entries: Entries): Info[];
  acts: { set: EndpointName; remove: EndpointName };
  remove(name: string, changer: Parameters<typeof deleteEntry>[3]): ReturnType<typeof deleteEntry>;
}

type Handler<Body> = RequestHandler<Record<string, string>, Body>;

function entryHandlers<Info extends { name: string; managedBy: ModelInfo['managedBy'] }>(
  { db, projector, sealer, references, placeOf }: CatalogApi,
  { kind, all, acts, remove }: Described<Info>,
): {
  list: Handler<{ data: Info[]; next: string | null }>;
  show: Handler<Info>;
  set: Handler<Info>;
  remove: Handler<undefined>;
} {
  const notFound = () =>
    new GatewayError('not-found', `There is no such ${kind}.`, { code: `${kind}_not_found` });
  const findIn = (entries: Entries, name: string) => {
    const info = all(entries).find(entry => entry.name === name);
    const version = listOf(kind, entries).find(entry => entry.name === name)?.version;
    // The version changes with a secret, which is not shown; a refresh of a list of models changes no setting.
    return info && { info, tag: tagOf({ ...info, version, discovered: undefined }) };
  };
  const send = async (request: Request, response: Response<Info>, name: string) => {
    const found = findIn(await readAllEntries(db), name);
    if (!found) throw notFound();
    sendResource(request, response, found.info, found.tag);
  };
  const pages = new Pages(kind === 'provider' ? 'listProviders' : 'listCatalogModels', placeByNumber);
  /** Checks the conditions of a request with the entry as it is once the catalog is locked. */
  const admission = (request: Request<Record<string, string>>, name: string) => (entries: Entries) => {
    assertConditions(request as Request, findIn(entries, name)?.tag);
  };
  const changerOf = (response: Pick<Response, 'locals'>, action: EndpointName) => ({
    ...{ actor: actorOf(response), action, placeOf, sealer, references },
  });
  return {
    async list(request, response) {
      const { managedBy, ...asked } = parseQuery(entriesQuery, request.query);
      const entries = await readAllEntries(db);
      const positions = listOf(kind, entries).map(({ position }) => position);
      const places = all(entries).map((info, at) => ({ info, at: (positions[at] ?? 0) + 1 }));
      const { rows, next } = await pages.read(
        pages.asked(asked),
        async ({ limit, after = 0 }) =>
          places
            .filter(({ info, at }) => at > after && info.managedBy === (managedBy ?? info.managedBy))
            .slice(0, limit),
        ({ at }) => at,
      );
      response.json({ data: rows.map(({ info }) => info), next });
    },

    async show(request, response) {
      const { name = '' } = request.params;
      await send(request as Request, response, name);
    },

    async set(request, response) {
      const entry = namedEntry(request);
      const none = { providers: [], models: [] };
      const { published } = await applyDocument(
        db,
        { ...none, [`${kind}s`]: [entry] },
        changerOf(response, acts.set),
        { prune: false, isDryRun: false, within: `${kind}s[0]`, admit: admission(request, entry.name) },
      );
      await projector.send(published);
      await send(request as Request, response, entry.name);
    },

    async remove(request, response) {
      const { name = '' } = request.params;
      const changer = { ...changerOf(response, acts.remove), admit: admission(request, name) };
      const published = await remove(name, changer);
      if (!published) throw notFound();
      await projector.send(published);
      response.status(204).end();
    },
  };
}

/** Returns the entries in the order in which they are listed. */
function listOf(kind: 'provider' | 'model', { providers, models, discovered }: Entries): Entry<unknown>[] {
  return kind === 'provider' ? providers : [...models, ...discovered];
}

/** Returns the entry of a body, with the name in the path. @throws GatewayError if the body has another name */
function namedEntry({ params, body }: Pick<Request<Record<string, string>>, 'params' | 'body'>): {
  name: string;
} {
  const { name = '' } = params;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new GatewayError('invalid-request', 'The body must be a JSON object.', { code: 'invalid_type' });
  if (body.name !== undefined && body.name !== name)
    throw invalidField('name', 'must be the name in the path', 'invalid_value');
  return { ...body, name };
}

function identityOf(
  kind: 'provider' | 'model',
  { name, managedBy, createdAt }: Entry<unknown>,
  problems: readonly EntryProblem[],
  placeOf: PlaceOf,
) {
  return {
    name,
    managedBy,
    place: managedBy === 'file' ? placeOf(kind, name) : null,
    problems: problems
      .filter(problem => problem.kind === kind && problem.name === name)
      .map(({ text }) => text),
    createdAt: createdAt.toISOString(),
  };
}

function settingsOfProvider({ data }: Entries['providers'][number]) {
  type Shown = Pick<ProviderInfo, keyof typeof providerSettings.shape>;
  const { options = {}, ...settings } = showProvider(data);
  return shownSettings<Shown>(providerSettings.shape, { ...settings, options });
}

/** Returns the state of a provider's discovery; null without. */
function listShown(
  { name, data }: Entries['providers'][number],
  { lists }: Entries,
): ProviderInfo['discovered'] {
  if (!data.models) return null;
  const { models = 0, refreshedAt = null, error = null } = lists.find(list => list.provider === name) ?? {};
  return { models, refreshedAt: refreshedAt?.toISOString() ?? null, error };
}

function settingsOfModel({ data }: Entries['models'][number]) {
  type Shown = Pick<ModelInfo, keyof typeof modelSettings.shape>;
  return shownSettings<Shown>(modelSettings.shape, showModel(data));
}
