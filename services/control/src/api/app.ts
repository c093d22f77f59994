import { randomUUID } from 'node:crypto';
import { GatewayError } from '@model-gateway/canonical';
import { type ClientAddress, checkContentType, type Log } from '@model-gateway/service';
import express, { type Express, type RequestHandler } from 'express';
import type { Database } from '../database/database.ts';
import type { Projector } from '../projector.ts';
import { isLiveSecret } from '../tokens.ts';
import { authenticate } from './authenticate.ts';
import { handleErrors, maxBodyBytes, sendError } from './errors.ts';
import { ownToken } from './own-token.ts';
import { tokenRoutes } from './tokens.ts';
import { usageRoutes } from './usage.ts';

interface AdminApi {
  db: Database;
  projector: Projector;
  adminToken: string;
  log: Log;
  clientAddress: ClientAddress;
}

/** The admin API, under `/api/v1`. */
export function adminApi({ db, projector, adminToken, log, clientAddress }: AdminApi): Express {
  const app = express().disable('x-powered-by').disable('etag');
  const admin = authenticate(adminToken, secret => isLiveSecret(db, secret));
  const body = [requireJson, express.json({ limit: maxBodyBytes, type: () => true })];
  const tokens = tokenRoutes(db, projector);
  const usage = usageRoutes(db);
  app.use(identify(log, clientAddress));
  app
    .route('/api/v1/tokens')
    .get(admin, tokens.list)
    .post(admin, ...body, tokens.create)
    .all(refuseMethod('GET, HEAD, POST'));
  app.route('/api/v1/token').get(ownToken(db)).all(refuseMethod('GET, HEAD'));
  app.route('/api/v1/tokens/:id').delete(admin, tokens.revoke).all(refuseMethod('DELETE'));
  app.route('/api/v1/usage').get(admin, usage.list).all(refuseMethod('GET, HEAD'));
  app.route('/api/v1/usage/rejected').get(admin, usage.rejected).all(refuseMethod('GET, HEAD'));
  app.route('/api/v1/usage/totals').get(admin, usage.totals).all(refuseMethod('GET, HEAD'));
  app.use(() => {
    throw new GatewayError('not-found', 'There is no such path.', { code: 'unknown_url' });
  });
  app.use(handleErrors(log));
  return app;
}

/** Gives each request an id, in the response and in the log. */
function identify(log: Log, clientAddress: ClientAddress): RequestHandler {
  return (request, response, next) => {
    const requestId = `req_${randomUUID().replaceAll('-', '')}`;
    response.locals.requestId = requestId;
    response.set('x-request-id', requestId);
    const { method, path } = request;
    const client = clientAddress(request);
    response.on('close', () =>
      log.info({ requestId, method, path, client, status: response.statusCode }, 'request'),
    );
    next();
  };
}

const requireJson: RequestHandler = (request, _response, next) => {
  checkContentType(request.headers, ['application/json']);
  next();
};

function refuseMethod(allowed: string): RequestHandler {
  return (request, response) => {
    response.set('allow', allowed);
    const message = `This path does not support ${request.method}.`;
    sendError(response, 405, { message, type: 'invalid_request_error', code: 'method_not_allowed' });
  };
}
