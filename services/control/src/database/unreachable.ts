/** PostgreSQL's own words for going, coming up and being full, beside the network's. */
const codes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  '53300',
  '57P01',
  '57P02',
  '57P03',
]);

/** Whether an error of a query says that the database cannot be reached now, rather than that the query is wrong. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as NodeJS.ErrnoException).code;
  if (code && (codes.has(code) || code.startsWith('08'))) return true;
  // The driver gives these neither code nor class.
  if (
    /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout)/.test(error.message)
  )
    return true;
  if (error instanceof AggregateError && error.errors.some(isUnreachable)) return true;
  return isUnreachable(error.cause);
}

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
