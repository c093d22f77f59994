import type { TLSSocket } from 'node:tls';
import type { Request, Response } from 'express';

/** A cookie that scripts cannot read, and that other sites cannot send with a request that changes something. */
export class Cookie {
  /** The name over https. Browsers take one with this prefix only from the host itself, over https, for every path. */
  readonly secureName: string;
  readonly plainName: string;

  constructor(name: string) {
    this.plainName = name;
    this.secureName = `__Host-${name}`;
  }

  /** Returns the value; undefined if there is none. */
  read(request: Request): string | undefined {
    const name = this.#nameFor(request);
    const pairs = (request.headers.cookie ?? '').split(';').map(pair => pair.trim().split('='));
    return pairs.find(([key]) => key === name)?.[1] || undefined;
  }

  set(request: Request, response: Response, value: string, endsAt: Date): void {
    response.append('set-cookie', this.#write(request, value, `Expires=${endsAt.toUTCString()}`));
  }

  remove(request: Request, response: Response): void {
    response.append('set-cookie', this.#write(request, '', 'Max-Age=0'));
  }

  #write(request: Request, value: string, end: string): string {
    const secure = isSecure(request) ? '; Secure' : '';
    return `${this.#nameFor(request)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}; ${end}`;
  }

  #nameFor(request: Request): string {
    return isSecure(request) ? this.secureName : this.plainName;
  }
}

/** The cookie with the secret of a session. */
export const sessionCookie = new Cookie('gateway-session');

/** The cookie with a sign-in by OpenID Connect that has started. */
export const oidcCookie = new Cookie('gateway-oidc');

/**
 * True if the browser uses https, as this socket or the first proxy says. A client that claims it wrongly gets a cookie which its
 * browser does not send, and no more.
 */
function isSecure({ headers, socket }: Pick<Request, 'headers' | 'socket'>): boolean {
  if ((socket as Partial<TLSSocket>).encrypted) return true;
  const [first = ''] = String(headers['x-forwarded-proto'] ?? '').split(',');
  return first.trim().toLowerCase() === 'https';
}
