import { count } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { audit } from '../database/people-tables.ts';
import { openTestDatabase } from '../testing/test-database.ts';
import { type AuditEvent, recordEvent, withoutRequest } from './record.ts';

test('the acts of a large file are recorded, in their order', async () => {
  const { db, remove } = await openTestDatabase('PGlite');
  const acts = Array.from({ length: 7_000 }, (_, n): AuditEvent => {
    return { action: 'applyFile', subject: { kind: 'model', name: `model-${n}` }, before: null, after: {} };
  });
  await recordEvent(db, withoutRequest('file', 'gateway.yaml'), ...acts);
  expect(await db.select({ rows: count() }).from(audit)).toEqual([{ rows: 7_000 }]);
  const [last] = await db.select().from(audit).orderBy(audit.id).offset(6_999);
  expect(last).toMatchObject({ subject: 'model-6999', actorKind: 'file', actor: 'gateway.yaml' });
  await remove();
});
