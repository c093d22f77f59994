import type { TLSSocket } from 'node:tls';
import type { Request, Response } from 'express';

/** The cookie's name over https. Browsers take one with this prefix only from the host itself, over https, for every path. */
export const secureName = '__Host-gateway-session';
export const plainName = 'gateway-session';

/** Returns the secret of the session cookie; undefined if there is none. */
export function sessionSecret(request: Request): string | undefined {
  const name = nameFor(request);
  const pairs = (request.headers.cookie ?? '').split(';').map(pair => pair.trim().split('='));
  return pairs.find(([key]) => key === name)?.[1] || undefined;
}

export function setSessionCookie(request: Request, response: Response, secret: string, endsAt: Date): void {
  response.append('set-cookie', cookie(request, secret, `Expires=${endsAt.toUTCString()}`));
}

export function removeSessionCookie(request: Request, response: Response): void {
  response.append('set-cookie', cookie(request, '', 'Max-Age=0'));
}

/** Writes the cookie. Scripts cannot read it, and other sites cannot send it with a request that changes something. */
function cookie(request: Request, value: string, end: string): string {
  const secure = isSecure(request) ? '; Secure' : '';
  return `${nameFor(request)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}; ${end}`;
}

function nameFor(request: Request): string {
  return isSecure(request) ? secureName : plainName;
}

/**
 * True if the browser uses https, as this socket or the first proxy says. A client that claims it wrongly gets a cookie which its
 * browser does not send, and no more.
 */
export function isSecure({ headers, socket }: Pick<Request, 'headers' | 'socket'>): boolean {
  if ((socket as Partial<TLSSocket>).encrypted) return true;
  const [first = ''] = String(headers['x-forwarded-proto'] ?? '').split(',');
  return first.trim().toLowerCase() === 'https';
}
