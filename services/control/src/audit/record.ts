import type { AuditEntry, EndpointName } from '@model-gateway/admin-api';
import type { Database } from '../database/database.ts';
import { audit } from '../database/people-tables.ts';

/** The one who does something. Without a request, `address` and `requestId` are null. */
export interface Actor {
  kind: AuditEntry['actorKind'];
  id: string | null;
  name: string;
  address: string | null;
  requestId: string | null;
}

/** Returns the actor for gateway.yaml, or for a setting of control. */
export function withoutRequest(kind: 'file' | 'setting', name: string): Actor {
  return { kind, id: null, name, address: null, requestId: null };
}

/** An administrative act. `before` and `after` are as the API shows them, without secrets. */
export interface AuditEvent {
  action: EndpointName | 'applyFile' | 'createFirstAdmin' | 'createFirstToken';
  subject: { kind: AuditEntry['subjectKind']; id?: string; name: string };
  /** The project that the subject belongs to. */
  project?: string;
  before: object | null;
  after: object | null;
}

/** The most acts in a statement, which has at most 65,535 parameters. */
const eventsAtOnce = 1_000;

/** Adds acts to the audit log. It must run in the transaction of the change, so that neither is stored without the other. */
export async function recordEvent(tx: Database, actor: Actor, ...acts: readonly AuditEvent[]): Promise<void> {
  const { kind: actorKind, name, id: actorId, address, requestId } = actor;
  const rows = acts.map(({ action, subject, project = null, before, after }) => ({
    ...{ actorKind, actor: name, actorId, address, requestId, action, project },
    ...{ subjectKind: subject.kind, subjectId: subject.id ?? null, subject: subject.name },
    before: before as Record<string, unknown> | null,
    after: after as Record<string, unknown> | null,
  }));
  for (let at = 0; at < rows.length; at += eventsAtOnce)
    await tx.insert(audit).values(rows.slice(at, at + eventsAtOnce));
}
