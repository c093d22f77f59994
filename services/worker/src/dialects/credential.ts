/** What clients are told of a credential that is the gateway's, and not theirs to mend. */
export const credentialRefused = "The upstream refused the gateway's credential.";

const codes = new Set<unknown>([
  'invalid_api_key',
  'invalid_authentication',
  'authentication_error',
  'permission_error',
  'account_deactivated',
]);
/** Google, for one, calls a wrong key a bad request. */
const said =
  /\b(?:incorrect|invalid|expired|missing|no)\b.{0,20}\bapi[ _-]?key\b|\bapi[ _-]?key\b.{0,20}\b(?:not valid|invalid|incorrect|expired|missing|not found)\b/i;

/** Whether an upstream's error is about the credential that it was shown. */
export function refusesCredential(
  status: number | undefined,
  { message, type, code }: { message?: string; type?: string; code?: string | number },
): boolean {
  if (status === 401 || status === 403 || codes.has(type) || codes.has(code)) return true;
  return said.test((message ?? '').slice(0, 1_000));
}
