import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ErrorRequestHandler, Express, RequestHandler, Response } from 'express';
import express from 'express';

/** Matches the placeholder that the build writes for the nonce. */
const noncePlaceholder = /\bnonce="NONCE"/g;

/** Serves the console under `/console`: the files in `assets`, and the page for every other path. */
export function consoleApp(dist: string): Express {
  const app = express().disable('x-powered-by');
  app.use(head, readOnly);
  app.get('/console', (_request, response) => response.redirect(302, '/console/home'));
  // File names contain a hash of the content.
  app.use(
    '/console/assets',
    express.static(join(dist, 'assets'), { index: false, redirect: false, immutable: true, maxAge: '1y' }),
    (_request, response) => sendText(response, 404, 'There is no such file.'),
  );
  app.get('/console/*page', page(join(dist, 'index.html')));
  app.use((_request, response) => sendText(response, 404, 'There is no such page.'));
  app.use(failed);
  return app;
}

const head: RequestHandler = (_request, response, next) => {
  response.set({
    'content-security-policy': contentSecurityPolicy(),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-request-id': `req_${randomUUID().replaceAll('-', '')}`,
  });
  next();
};

const readOnly: RequestHandler = ({ method }, response, next) => {
  if (method === 'GET' || method === 'HEAD') return next();
  response.set('allow', 'GET, HEAD');
  sendText(response, 405, `The console does not support ${method}.`);
};

/** Serves the page. The file is read for each request, so that a new build is served without a restart. */
function page(file: string): RequestHandler {
  return async (_request, response) => {
    const html = await readFile(file, 'utf8').catch(() => undefined);
    if (html === undefined) {
      return sendText(response, 503, 'The console is not built: npm run build -w @model-gateway/console');
    }
    const nonce = randomBytes(16).toString('base64');
    response
      .set({ 'content-security-policy': contentSecurityPolicy(nonce), 'cache-control': 'no-store' })
      .type('html')
      .send(html.replace(noncePlaceholder, `nonce="${nonce}"`));
  };
}

const failed: ErrorRequestHandler = (thrown, _request, response, next) => {
  if (response.headersSent) return next(thrown);
  const { status } = Object(thrown) as { status?: number };
  if (status && status >= 400 && status < 500)
    return sendText(response, status, 'The request cannot be read.');
  sendText(response, 500, 'The console failed.');
};

function sendText(response: Response, status: number, text: string): void {
  response.status(status).set('cache-control', 'no-store').type('text').send(`${text}\n`);
}

/**
 * Returns the policy of a page: it may load only what the gateway serves. Styles that the page creates need the nonce. Images and sounds
 * may also be the page's own (`blob:`), such as attached files: their bytes are in the page already, and nothing is loaded from a host.
 */
function contentSecurityPolicy(nonce?: string): string {
  return [
    "default-src 'self'",
    `style-src 'self'${nonce ? ` 'nonce-${nonce}'` : ''}`,
    "img-src 'self' blob:",
    "media-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
