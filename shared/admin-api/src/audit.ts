import { z } from 'zod/mini';
import { exportFormat, pageOf, paging } from './page.ts';
import { callerKinds } from './people.ts';

/** The kinds of actors in the audit log: callers, gateway.yaml, and settings of control. */
export const actorKinds = [...callerKinds, 'file', 'setting'] as const;

/** The kinds of things that acts change. */
export const subjectKinds = [
  'token',
  'project',
  'user',
  'member',
  'account',
  'session',
  'request',
  'provider',
  'model',
] as const;

const time = z.iso.datetime({ offset: true });
const filter = {
  from: z.optional(time),
  to: z.optional(time).check(z.describe('Exclusive.')),
  actor: z.optional(z.string()).check(z.describe('The name of a user or a service account.')),
  actorKind: z.optional(z.enum(actorKinds)),
  action: z.optional(z.string()).check(z.describe('The name of an act, such as `createToken`.')),
  subjectKind: z.optional(z.enum(subjectKinds)),
  subject: z.optional(z.string()).check(z.describe('The id or the name of what was changed.')),
  project: z.optional(z.string()),
};

/** The query of the audit log. */
export const auditQuery = z.strictObject({ ...filter, ...paging });

/** The query of an export: every act that it names, oldest first. */
export const auditExportQuery = z.strictObject({ ...filter, format: exportFormat });

/** An administrative act. */
export const auditEntry = z.object({
  id: z.number(),
  at: z.string().check(z.describe('RFC 3339.')),
  actorKind: z.enum(actorKinds),
  actor: z.string(),
  actorId: z
    .nullable(z.string())
    .check(z.describe('The id of the user or the service account; null for others.')),
  address: z
    .nullable(z.string())
    .check(z.describe('The IP address that the request came from; null without a request.')),
  requestId: z
    .nullable(z.string())
    .check(z.describe('The id in the header `x-request-id`; null without a request.')),
  action: z.string(),
  subjectKind: z.enum(subjectKinds),
  subjectId: z
    .nullable(z.string())
    .check(z.describe('The id of what was changed; null for what has only a name.')),
  subject: z.string(),
  project: z.nullable(z.string()).check(z.describe('The project that it belongs to; null for none.')),
  before: z
    .nullable(z.record(z.string(), z.unknown()))
    .check(z.describe('Null if it did not exist. Secrets are left out.')),
  after: z
    .nullable(z.record(z.string(), z.unknown()))
    .check(z.describe('Null if it does not exist any more. Secrets are left out.')),
});
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditPage = pageOf(auditEntry);
export type AuditPage = z.infer<typeof auditPage>;
