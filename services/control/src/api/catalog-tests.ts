import { type CatalogTestResult, catalogTest } from '@model-gateway/admin-api';
import { GatewayError, type TargetRef } from '@model-gateway/canonical';
import type { RequestHandler } from 'express';
import { recordEvent } from '../audit/record.ts';
import { type Entries, readAllEntries } from '../catalog/entries.ts';
import { type AskTest, targetOfProvider, targetsOfModel, testTargets } from '../catalog/test-entry.ts';
import type { Database } from '../database/database.ts';
import { actorOf } from './admitted.ts';
import { parseBody } from './parse-body.ts';
import type { Handlers } from './routes.ts';

type Find = (entries: Entries, name: string, asked: string | undefined) => TargetRef[] | undefined;

/** The handlers for tests of providers and models by a request of a worker. */
export function catalogTestHandlers(
  db: Database,
  ask: AskTest,
): Pick<Handlers, 'testProvider' | 'testModel'> {
  return {
    testProvider: handler(db, ask, 'provider', targetOfProvider),
    testModel: handler(db, ask, 'model', targetsOfModel),
  };
}

function handler(
  db: Database,
  ask: AskTest,
  kind: 'provider' | 'model',
  find: Find,
): RequestHandler<Record<string, string>, CatalogTestResult> {
  return async (request, response) => {
    const { name = '' } = request.params;
    const { model } = parseBody(catalogTest, request.body);
    const entries = await readAllEntries(db);
    const targets = find(entries, name, model ?? undefined);
    if (!targets)
      throw new GatewayError('not-found', `There is no such ${kind}.`, { code: `${kind}_not_found` });
    const data = (await testTargets(entries, targets, ask)).map(({ error, ...tested }) => ({
      ...{ ...tested, works: error === null, error },
    }));
    await recordEvent(db, actorOf(response), {
      action: kind === 'provider' ? 'testProvider' : 'testModel',
      subject: { kind, name },
      before: null,
      after: { results: data },
    });
    response.json({ data });
  };
}
