import { isUnreachable } from './unreachable.ts';

/**
 * SQLSTATE classes of what is wrong with the values of a statement: cardinality, data, constraints, limits; and of internal
 * errors, which values may cause. The others tell of the database's state, as of a full disk or a missing permission.
 */
const ofValues = new Set(['21', '22', '23', '54', 'XX']);
const sqlState = /^[0-9A-Z]{5}$/;

/** Says whether a query failed for the values it was given, so that to try it again is of no use. */
export function isRefused(error: unknown): boolean {
  if (isUnreachable(error)) return false;
  const code = stateOf(error);
  return code === undefined || ofValues.has(code.slice(0, 2));
}

function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && sqlState.test(code) ? code : stateOf(error.cause);
}
