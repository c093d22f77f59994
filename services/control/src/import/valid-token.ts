import { newToken } from '@model-gateway/admin-api';
import type { Part } from './account.ts';
import type { ImportedToken } from './result.ts';

/** Returns a token; undefined if the admin API would refuse it, which is then reported. */
export function validToken(row: Part, wanted: ImportedToken['wanted']): ImportedToken | undefined {
  const [issue] = newToken.safeParse(wanted).error?.issues ?? [];
  if (!issue) return { from: row.where, wanted };
  return row.lose(`The gateway refuses such a token: ${issue.path.join('.')} ${issue.message}.`);
}
