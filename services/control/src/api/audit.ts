import { auditExportQuery, auditQuery } from '@model-gateway/admin-api';
import { auditHead, auditLine } from '../audit/export.ts';
import { eachEvent, listEvents } from '../audit/read.ts';
import { sendExport } from '../common/export-format.ts';
import type { Database } from '../database/database.ts';
import { projectsWithin } from '../people/caller.ts';
import { scopeIn } from './admitted.ts';
import { Pages, placeByNumber } from './paging.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';

const pages = new Pages('listAudit', placeByNumber);

/** The handlers for the audit log. */
export function auditHandlers(db: Database): Pick<Handlers, 'listAudit' | 'exportAudit'> {
  return {
    async listAudit(request, response) {
      const { limit, cursor, ...wanted } = parseQuery(auditQuery, request.query);
      const filter = { ...wanted, project: projectsWithin(scopeIn(response), wanted.project) };
      const { rows, next } = await pages.read(
        pages.asked({ limit, cursor }),
        page => listEvents(db, filter, page),
        ({ id }) => id,
      );
      response.json({ data: rows, next });
    },

    async exportAudit(request, response) {
      const { format, ...wanted } = parseQuery(auditExportQuery, request.query);
      const filter = { ...wanted, project: projectsWithin(scopeIn(response), wanted.project) };
      await sendExport(response, {
        name: 'audit',
        format,
        head: auditHead(format),
        pages: eachEvent(db, filter),
        line: entry => auditLine(entry, format),
      });
    },
  };
}
