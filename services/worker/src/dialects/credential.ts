/** Message for clients when the upstream rejects the gateway's credential. The client cannot fix it. */
export const credentialRefused = "The upstream refused the gateway's credential.";

const codes = new Set<unknown>([
  'invalid_api_key',
  'invalid_authentication',
  'authentication_error',
  'permission_error',
  'account_deactivated',
]);
/** Matches messages about an API key. Google, for one, reports a wrong key as status 400. */
const keyMessage =
  /\b(?:incorrect|invalid|expired|missing|no)\b.{0,20}\bapi[ _-]?key\b|\bapi[ _-]?key\b.{0,20}\b(?:not valid|invalid|incorrect|expired|missing|not found)\b/i;

/** True if an upstream's error is about the gateway's credential. */
export function refusesCredential(
  status: number | undefined,
  { message, type, code }: { message?: string; type?: string; code?: string | number },
): boolean {
  if (status === 401 || status === 403 || codes.has(type) || codes.has(code)) return true;
  return keyMessage.test((message ?? '').slice(0, 1_000));
}
