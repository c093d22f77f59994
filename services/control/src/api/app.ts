import { randomUUID } from 'node:crypto';
import { GatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import {
  type ClientAddress,
  checkContentType,
  type Env,
  type Log,
  noSniff,
  type SettingName,
} from '@model-gateway/service';
import express, { type Express, type RequestHandler } from 'express';
import type { AskLeft } from '../budgets/left.ts';
import type { References } from '../catalog/references.ts';
import type { AskTest } from '../catalog/test-entry.ts';
import type { ControlKeys } from '../common/keys.ts';
import type { PlaceOf } from '../common/managed-by-file.ts';
import type { Database } from '../database/database.ts';
import type { DiagnoseOptions } from '../diagnostics/diagnose.ts';
import type { HealthFollower } from '../health/health.ts';
import { CredentialChecks } from '../people/credential-checks.ts';
import type { OidcOptions } from '../people/oidc-options.ts';
import type { Passwords } from '../people/passwords.ts';
import { Sessions, type SessionTimes } from '../people/sessions.ts';
import { SignInAttempts } from '../people/sign-in-attempts.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Projector } from '../projection/projector.ts';
import type { RunningFleet } from '../running/fleet.ts';
import type { TokenBounds } from '../tokens/token-bounds.ts';
import { accountHandlers } from './accounts.ts';
import { leave } from './admitted.ts';
import { auditHandlers } from './audit.ts';
import { type Authentication, authenticate, authorize, findCaller } from './authenticate.ts';
import { catalogHandlers } from './catalog-document.ts';
import { modelHandlers, providerHandlers } from './catalog-entries.ts';
import { catalogTestHandlers } from './catalog-tests.ts';
import { commandSignInHandlers } from './command-sign-in.ts';
import { showDiagnostics } from './diagnostics.ts';
import { docsPage } from './docs-page/docs-page.ts';
import { handleErrors, maxBodyBytes } from './errors.ts';
import { showHealth } from './health.ts';
import { idempotency, releaseKey } from './idempotency.ts';
import { issuedAccountHandlers } from './issued-accounts.ts';
import { issuedTokenHandlers } from './issued-tokens.ts';
import { loginHandlers } from './logins.ts';
import { memberHandlers } from './members.ts';
import { oidcHandlers } from './oidc.ts';
import { sendDocument } from './openapi/send-document.ts';
import { showOwnToken } from './own-token.ts';
import { showPrices } from './prices.ts';
import { refusedHandlers } from './refused.ts';
import { requestHandlers } from './requests.ts';
import { addRoutes, type Handlers, refuseMethod } from './routes.ts';
import { runningHandlers } from './running.ts';
import { sessionHandlers } from './sessions.ts';
import { showSettings } from './settings.ts';
import { projectHandlers, userHandlers } from './token-groups.ts';
import { tokenHandlers } from './tokens.ts';
import { usageHandlers } from './usage.ts';

interface AdminApi {
  db: Database;
  prices: PriceBook;
  projector: Projector;
  health: HealthFollower;
  adminToken: string;
  /** Seal secrets of providers, and the answers that are kept for idempotency keys. */
  keys: Pick<ControlKeys, 'providers' | 'idempotency'>;
  sessions: SessionTimes;
  /** The URL of the gateway in browsers; undefined if proxies leave the header Host unchanged. */
  publicUrl: string | undefined;
  /** Undefined if users cannot sign in by OpenID Connect. */
  oidc: OidcOptions | undefined;
  /** Called once a user's password has another value. */
  passwordChanged(user: string): void;
  placeOf: PlaceOf;
  /** Called once an entry of gateway.yaml was moved to the database. */
  adopted(): void;
  /** The variables and files of workers that providers of the API may name. */
  references: References;
  /** The names of control's settings. */
  settings: readonly SettingName[];
  /** The environment that they were read from, if not that of the process. */
  env: Env | undefined;
  log: Log;
  clock: Clock;
  passwords: Passwords;
  /** The bounds of what those who are no admins may make of tokens. */
  bounds: TokenBounds;
  clientAddress: ClientAddress;
  /** Asks the process that counts limits and budgets what is left of them. */
  askLeft: AskLeft;
  diagnostics: DiagnoseOptions;
  /** The requests in flight. */
  fleet: RunningFleet;
  /** Asks a worker to test a target. */
  askTest: AskTest;
}

/** The admin API: the endpoints under `/api/v1`, and the gateway's OpenAPI document with its page. */
export function adminApi(api: AdminApi): Express {
  const { db, adminToken, publicUrl, log, clock, clientAddress } = api;
  const app = express().disable('x-powered-by').disable('etag');
  const sessions = new Sessions(db, api.sessions);
  const body = (limit = maxBodyBytes) => [
    requireJson,
    express.json({ limit, type: () => true, verify: refuseEmpty }),
  ];
  app.use(noSniff, identify(log, clientAddress));
  const checks = new CredentialChecks(clock);
  const authentication = { db, sessions, checks, adminToken, publicUrl, clock };
  addRoutes(app, handlersOf(api, authentication), {
    authenticate: authenticate(authentication),
    authorize,
    body,
    idempotency: idempotency(db, api.keys.idempotency),
  });
  app
    .route('/openapi.json')
    .get(sendDocument())
    .all(refuseMethod(['get']));
  app.use(docsPage());
  app.use(() => {
    throw new GatewayError('not-found', 'There is no such path.', { code: 'unknown_url' });
  });
  app.use(releaseKey(db));
  app.use(handleErrors(log));
  return app;
}

function handlersOf(api: AdminApi, authentication: Authentication): Handlers {
  const { db, prices, projector, health, placeOf, log, clock, passwords } = api;
  const { publicUrl, oidc, passwordChanged, fleet, references } = api;
  const { sessions } = authentication;
  const catalog = { db, projector, sealer: api.keys.providers, references, placeOf, adopted: api.adopted };
  const attempts = new SignInAttempts(db);
  return {
    ...tokenHandlers(db, projector, api.bounds),
    ...issuedTokenHandlers(db, projector, api.bounds),
    ...projectHandlers({ db, projector, placeOf }),
    ...userHandlers({ db, projector, placeOf }),
    ...usageHandlers(db),
    ...refusedHandlers(db),
    ...requestHandlers(db),
    ...runningHandlers({
      ...{ db, fleet, prices, clock },
      callerAgain: request => findCaller(authentication, request, false),
    }),
    ...sessionHandlers({ db, sessions, passwords, attempts, publicUrl, passwordChanged }),
    ...oidcHandlers({ db, sessions, attempts, oidc, log }),
    ...commandSignInHandlers({ db, sessions, attempts, oidc, publicUrl }),
    ...loginHandlers({ db, projector, passwords, placeOf, passwordChanged }),
    ...memberHandlers(db, projector),
    ...accountHandlers(db),
    ...issuedAccountHandlers(db),
    ...auditHandlers(db),
    ...providerHandlers(catalog),
    ...modelHandlers(catalog),
    ...catalogHandlers(catalog),
    ...catalogTestHandlers(db, api.askTest),
    showPrices: showPrices(prices),
    showSettings: showSettings(api.settings, api.env),
    showOwnToken: showOwnToken({ ...api, checks: authentication.checks }),
    showHealth: showHealth(health),
    showDiagnostics: showDiagnostics(api.diagnostics),
  };
}

/** Gives each request an id, in the response and in the log. */
function identify(log: Log, clientAddress: ClientAddress): RequestHandler {
  return (request, response, next) => {
    const requestId = `req_${randomUUID().replaceAll('-', '')}`;
    response.set('x-request-id', requestId);
    const { method, path } = request;
    const client = clientAddress(request);
    leave(response, { requestId, client });
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

/** Refuses an empty body, which Express reads as an empty object, where that would clear all settings or change none. */
const refuseEmpty: NonNullable<Parameters<typeof express.json>[0]>['verify'] = (
  { method },
  _response,
  bytes,
) => {
  if (bytes.length > 0 || method === 'POST') return;
  throw new GatewayError('invalid-request', 'The body must be a JSON object.', { code: 'invalid_type' });
};
