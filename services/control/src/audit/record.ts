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
export interface Act {
  action: EndpointName | 'applyFile' | 'createFirstAdmin' | 'createFirstToken';
  subject: { kind: AuditEntry['subjectKind']; id?: string; name: string };
  /** The project that the subject belongs to. */
  project?: string;
  before: object | null;
  after: object | null;
}

/** Adds an act to the audit log. It must run in the transaction of the change, so that neither is stored without the other. */
export async function recordAct(tx: Database, actor: Actor, ...acts: readonly Act[]): Promise<void> {
  if (acts.length === 0) return;
  await tx.insert(audit).values(
    acts.map(({ action, subject, project = null, before, after }) => ({
      actorKind: actor.kind,
      actor: actor.name,
      actorId: actor.id,
      address: actor.address,
      requestId: actor.requestId,
      action,
      subjectKind: subject.kind,
      subjectId: subject.id ?? null,
      subject: subject.name,
      project,
      before: before as Record<string, unknown> | null,
      after: after as Record<string, unknown> | null,
    })),
  );
}
