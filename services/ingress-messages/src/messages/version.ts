import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';

/** The API version that a client asks for; the gateway's own header comes before its alias. */
function versionOf(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['vendor-version'] || headers['anthropic-version'];
  return typeof value === 'string' ? value.trim() : undefined;
}

/** Every date is accepted, since clients of all ages live. @throws GatewayError if there is none */
export function checkVersion(headers: IncomingHttpHeaders): void {
  const version = versionOf(headers);
  if (version === undefined)
    throw invalidVersion('a version header is required (vendor-version or anthropic-version: YYYY-MM-DD)');
  if (!isDate(version)) throw invalidVersion('the version must be a date, YYYY-MM-DD');
}

/** The headers that an upstream of the same format is sent, too. */
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
