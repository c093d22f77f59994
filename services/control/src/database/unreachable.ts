/** Network errors, and the SQLSTATEs of a PostgreSQL that is stopping, starting or out of connections. */
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

/** The SQLSTATE of a statement that the server ended. */
const ended = '57014';

/** True if a query took too long, and may succeed if it is tried again or asks for less. */
export function isTooSlow(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === 'Query read timeout' || stateOf(error) === ended || isTooSlow(error.cause);
}

const deadlock = '40P01';

/** True if PostgreSQL ended a transaction because it and another one waited for each other. It may succeed if it is tried again. */
export function isDeadlock(error: unknown): boolean {
  return stateOf(error) === deadlock;
}

/** True if a query failed because the database cannot be reached, not because of the query. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as NodeJS.ErrnoException).code;
  if (code && (codes.has(code) || code.startsWith('08'))) return true;
  // The driver gives these neither code nor class.
  if (
    /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client .* not queryable)/.test(
      error.message,
    )
  )
    return true;
  if (error instanceof AggregateError && error.errors.some(isUnreachable)) return true;
  return isUnreachable(error.cause);
}

/**
 * SQLSTATE classes of errors that the values of a statement cause: cardinality, data, constraints, limits and internal
 * errors. Other classes concern the state of the database, such as a full disk or a missing permission.
 */
const valueClasses = new Set(['21', '22', '23', '54', 'XX']);
const sqlState = /^[0-9A-Z]{5}$/;

/** True if a query failed because of its values, so that a retry is useless. */
export function isRefused(error: unknown): boolean {
  if (isUnreachable(error)) return false;
  const code = stateOf(error);
  return code === undefined || valueClasses.has(code.slice(0, 2));
}

function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && sqlState.test(code) ? code : stateOf(error.cause);
}

/** Returns the message of the innermost error, since the outer ones contain the whole query with its values. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause, code } = error as NodeJS.ErrnoException;
  return cause instanceof Error ? reasonOf(cause) : message || String(code);
}
