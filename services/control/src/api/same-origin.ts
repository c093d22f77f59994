import { GatewayError } from '@model-gateway/canonical';
import type { Request } from 'express';

/** The header that a request with a session cookie must have if it changes something. Forms and links cannot set it. */
export const csrfHeader = 'x-gateway-csrf';

/** Refuses a request of another origin's page. `publicUrl` is that of the gateway if a proxy changes the header Host. */
export function assertSameOrigin({ headers }: Request, publicUrl: string | undefined): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw crossSite();
  const { origin, host } = headers;
  if (origin === undefined) return;
  const found = hostOf(origin);
  const own = [host?.toLowerCase(), publicUrl && hostOf(publicUrl)];
  if (found === undefined || !own.includes(found)) throw crossSite();
}

/** Refuses a request with a session cookie that a page of another origin may have made. */
export function assertIntended(request: Request, publicUrl: string | undefined): void {
  assertSameOrigin(request, publicUrl);
  if (request.headers[csrfHeader]) return;
  const message = `Send the header ${csrfHeader} with any value: a request with a session cookie that changes something needs it.`;
  throw new GatewayError('forbidden', message, { code: 'csrf_header_required' });
}

function crossSite(): GatewayError {
  return new GatewayError('forbidden', 'The request comes from a page of another origin.', {
    code: 'cross_site_request',
  });
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
