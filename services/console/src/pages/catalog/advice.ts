/** Returns what to change after a failed test, by the kind of its error and, for an upstream's, by its message. */
export function adviceFor({ kind, message }: { kind: string; message: string }): string {
  if (/\b(401|403)\b|api key|credential|unauthorized|authentication/i.test(message))
    return 'Check the API key: that it is set where the workers run, and still valid.';
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|connect|reach|resolve/i.test(message))
    return 'Check the base URL, and that the workers can reach it from their network.';
  if (/\b404\b|not found|no such model|does not exist/i.test(message))
    return "Check the model's name at the provider, and whether the base URL needs /v1 at its end.";
  return byKind[kind] ?? 'The message is that of the provider. Its logs may say more.';
}

const byKind: Record<string, string> = {
  timeout: 'Check that the server is up and not overloaded, and that the workers reach it.',
  overloaded: 'Start a worker of this pool, or correct the pool of the provider.',
  'rate-limited': 'The provider limits your requests. Wait, or raise the limit there.',
  'quota-exceeded': 'The account at the provider has no quota left.',
  'not-found': "Check the model's name at the provider.",
  'invalid-request': 'Check the formats that the provider is said to speak, and the name of the model.',
  unauthenticated: 'Check the API key: that it is set where the workers run, and still valid.',
  forbidden: 'The API key may not use this model at the provider.',
};
