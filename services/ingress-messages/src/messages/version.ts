import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';

/** Returns the API version that the client requests. `vendor-version` takes precedence over its alias. */
function versionOf(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['vendor-version'] || headers['anthropic-version'];
  return typeof value === 'string' ? value.trim() : undefined;
}

/**
 * Accepts every date, since clients of any age are in use.
 * @throws GatewayError if the header is missing or not a date
 */
export function checkVersion(headers: IncomingHttpHeaders): void {
  const version = versionOf(headers);
  if (version === undefined)
    throw invalidVersion('a version header is required (vendor-version or anthropic-version: YYYY-MM-DD)');
  if (!isDate(version)) throw invalidVersion('the version must be a date, YYYY-MM-DD');
}

/** Returns the headers that are forwarded to an upstream of the same format. */
export function forwardedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const version = versionOf(headers);
  const beta = headers['anthropic-beta'];
  return {
    ...(version && { 'anthropic-version': version }),
    ...(beta && { 'anthropic-beta': String(beta) }),
  };
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function invalidVersion(reason: string): GatewayError {
  return new GatewayError('invalid-request', `vendor-version: ${reason}`, { param: 'vendor-version' });
}
