import { adoption, applyQuery } from '@model-gateway/admin-api';
import { adoptEntry } from '../catalog/adopt.ts';
import { applyDocument } from '../catalog/change-catalog.ts';
import { catalogInForce } from '../catalog/document.ts';
import { actorOf } from './admitted.ts';
import type { CatalogApi } from './catalog-entries.ts';
import { parseBody } from './parse-body.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';

/** The handlers for the whole catalog. A change is confirmed only once KV has it. */
export function catalogHandlers({
  db,
  projector,
  adopted,
  ...changing
}: CatalogApi): Pick<Handlers, 'showCatalog' | 'applyCatalog' | 'adoptEntry'> {
  return {
    showCatalog: async (_request, response) => void response.json(await catalogInForce(db)),

    async applyCatalog(request, response) {
      const query = parseQuery(applyQuery, request.query);
      const [isDryRun, prune] = [query.dryRun === 'true', query.prune === 'true'];
      const changer = { ...changing, actor: actorOf(response), action: 'applyCatalog' as const };
      const options = { prune, isDryRun };
      const { changes, published } = await applyDocument(db, request.body, changer, options);
      if (!isDryRun) await projector.send(published);
      response.json({ dryRun: isDryRun, changes });
    },

    async adoptEntry(request, response) {
      const entry = parseBody(adoption, request.body);
      const changer = { ...changing, actor: actorOf(response), action: 'adoptEntry' as const };
      const published = await adoptEntry(db, entry, changer);
      await projector.send(published);
      adopted();
      const place = published.length > 0 ? changing.placeOf(entry.kind, entry.name) : null;
      response.json({ ...entry, place });
    },
  };
}
