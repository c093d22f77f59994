import { randomUUID } from 'node:crypto';
import { GatewayError } from '@model-gateway/canonical';
import { type ClientAddress, checkContentType, type Log } from '@model-gateway/service';
import express, { type Express, type RequestHandler } from 'express';
import type { AskLeft } from '../budgets/left.ts';
import type { Database } from '../database/database.ts';
import type { HealthFollower } from '../health.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Projector } from '../projector.ts';
import { isUsable, tokenOfSecret } from '../tokens.ts';
import { authenticate } from './authenticate.ts';
import { handleErrors, maxBodyBytes } from './errors.ts';
import { showHealth } from './health.ts';
import { openApi } from './openapi.ts';
import { showOwnToken } from './own-token.ts';
import { requestHandlers } from './requests.ts';
import { addRoutes, refuseMethod } from './routes.ts';
import { projectHandlers, userHandlers } from './token-groups.ts';
import { tokenHandlers } from './tokens.ts';
import { usageHandlers } from './usage.ts';

interface AdminApi {
  db: Database;
  prices: PriceBook;
  projector: Projector;
  health: HealthFollower;
  adminToken: string;
  /** The path of gateway.yaml. */
  file: string;
  log: Log;
  clientAddress: ClientAddress;
  /** Asks the process that counts limits and budgets what is left of them. */
  askLeft: AskLeft;
}

/** The admin API: the endpoints under `/api/v1`, and their OpenAPI document. */
export function adminApi({
  db,
  prices,
  projector,
  health,
  adminToken,
  file,
  log,
  clientAddress,
  askLeft,
}: AdminApi): Express {
  const app = express().disable('x-powered-by').disable('etag');
  const admin = authenticate(adminToken, async secret => {
    const token = await tokenOfSecret(db, secret);
    return token !== undefined && isUsable(token, new Date());
  });
  const body = [requireJson, express.json({ limit: maxBodyBytes, type: () => true })];
  const document = openApi();
  app.use(identify(log, clientAddress));
  const handlers = {
    ...tokenHandlers(db, projector),
    ...projectHandlers({ db, projector, file }),
    ...userHandlers({ db, projector, file }),
    ...usageHandlers(db),
    ...requestHandlers(db),
    showOwnToken: showOwnToken(db, prices, clientAddress, askLeft),
    showHealth: showHealth(health),
  };
  addRoutes(app, handlers, { admin, body });
  app
    .route('/openapi.json')
    .get((_request, response) => void response.json(document))
    .all(refuseMethod(['get']));
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
