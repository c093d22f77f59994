import { isConnectionHeader } from '@model-gateway/admin-api/settings';

/**
 * Removes headers that a provider may not set from the content of gateway.yaml, so that one that was valid before stays in force.
 * Returns their paths.
 */
export function dropConnectionHeaders(input: unknown): string[] {
  const dropped: string[] = [];
  const { providers } = Object(input) as { providers?: unknown };
  if (!Array.isArray(providers)) return dropped;
  for (const [at, provider] of providers.entries()) {
    const { headers } = Object(provider) as { headers?: unknown };
    if (typeof headers !== 'object' || headers === null) continue;
    for (const name of Object.keys(headers).filter(isConnectionHeader)) {
      delete (headers as Record<string, unknown>)[name];
      dropped.push(`providers[${at}].headers[${JSON.stringify(name)}]`);
    }
  }
  return dropped;
}
