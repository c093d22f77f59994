import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageFolder } from '@model-gateway/service';
import { Router } from 'express';
import { refuseMethod } from '../routes.ts';

const ofPackage = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const own = join(packageFolder('@model-gateway/control'), 'src/api/docs-page');

/** The files of the page: Swagger UI's own, and those that start it. */
const files: Record<string, string> = {
  '/docs': join(own, 'page.html'),
  '/docs/page.css': join(own, 'page.css'),
  '/docs/page.js': join(own, 'page.js'),
  '/docs/color-scheme.js': join(own, 'color-scheme.js'),
  '/docs/swagger-ui.css': join(ofPackage, 'swagger-ui.css'),
  '/docs/swagger-ui-bundle.js': join(ofPackage, 'swagger-ui-bundle.js'),
  '/docs/favicon-32x32.png': join(ofPackage, 'favicon-32x32.png'),
};

/** The page may load and ask only the gateway. Swagger UI's style sheet has images as data URLs. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The readable page of the OpenAPI document at `/docs`, which needs no other host. */
export function docsPage(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/docs/', (_request, response) => response.redirect(308, '/docs'));
  for (const [path, file] of Object.entries(files))
    router
      .route(path)
      .get((_request, response) => {
        response.set({
          'content-security-policy': contentSecurityPolicy,
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
        });
        // Its ETag tells a browser that its copy is current.
        response.sendFile(file, { cacheControl: false, headers: { 'cache-control': 'no-cache' } });
      })
      .all(refuseMethod(['get']));
  return router;
}
