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
