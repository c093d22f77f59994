import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkCodeOf } from '../people/command-grant.ts';
import { adminAt } from './admin.ts';
import { CommandError } from './exit-codes.ts';

/** The longest time that the user may take in the browser, in milliseconds. */
const browserMs = 10 * 60_000;

interface BrowserLogin {
  url: string;
  /** The port of 127.0.0.1 to which the browser returns; 0 for any. */
  port: number;
  /** Shows the user the URL to open and the code to compare. */
  show(message: string): void;
  /** Opens a URL in the browser; undefined if the user does. */
  open: ((url: string) => void) | undefined;
}

/**
 * Signs in by the browser: at the OpenID provider, and then on a page of the gateway that asks for the command. The browser brings
 * back a code, which is of use only with a secret that never leaves this process but for the gateway. Returns the gateway's response
 * with the session.
 */
export async function loginByBrowser({ url, port, show, open }: BrowserLogin): Promise<Response> {
  const [verifier, state] = [secret(), secret()];
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await Promise.race([
    once(server, 'listening'),
    once(server, 'error').then(([error]) => Promise.reject(error)),
  ]);
  const bound = (server.address() as AddressInfo).port;
  const query = new URLSearchParams({ port: String(bound), challenge, state });
  const start = `${url}/api/v1/session/oidc?${query}`;
  show(
    `Open this page in a browser on this computer:\n\n${start}\n\nIt asks whether its code is ${checkCodeOf(challenge)}.`,
  );
  open?.(start);
  try {
    const code = await codeFrom(server, bound, state);
    return await adminAt({ url, headers: {} }).fetch('finishCommandSignIn', { body: { code, verifier } });
  } finally {
    server.close();
    server.closeIdleConnections();
  }
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>gateway</title>
<p>The command goes on in the terminal. You may close this page.</p></html>\n`;

/** Waits for the browser to bring the code. Requests of other pages and programs, which do not know `state`, change nothing. */
function codeFrom(server: Server, port: number, state: string): Promise<string> {
  const found = Promise.withResolvers<string>();
  const late = setTimeout(
    () => found.reject(new CommandError('nobody has signed in in the browser', 3)),
    browserMs,
  );
  server.on('request', (asked, response) => {
    response.setHeader('connection', 'close').setHeader('cache-control', 'no-store');
    const { pathname, searchParams } = new URL(asked.url ?? '/', 'http://127.0.0.1');
    const [code, returned] = [searchParams.get('code'), searchParams.get('state')];
    // Another host name would be that of a page that had its name changed to this address.
    const isOwn = asked.method === 'GET' && asked.headers.host === `127.0.0.1:${port}`;
    if (isOwn && pathname === '/done') {
      response.setHeader('content-type', 'text/html').end(page);
      return;
    }
    if (!isOwn || pathname !== '/' || code === null || returned !== state) {
      response.writeHead(404).end('There is nothing here.\n');
      return;
    }
    // The next page keeps the code out of the history of the browser.
    response.writeHead(303, { location: '/done', 'referrer-policy': 'no-referrer' }).end();
    found.resolve(code);
  });
  return found.promise.finally(() => clearTimeout(late));
}

const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a URL in the user's browser, if there is one. */
export function openBrowser(url: string): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  // The user opens it by hand.
  child.on('error', () => {});
  child.unref();
}
