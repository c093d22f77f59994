import type { RequestBody } from '@model-gateway/bus';
import {
  type Envelope,
  GatewayError,
  type GenerateRequest,
  type Operation,
  type OperationRequest,
  operationLabels,
  type Route,
  toGatewayError,
  type WireFormat,
} from '@model-gateway/canonical';
import {
  type Catalog,
  type FoundModel,
  isBridged,
  orderTargets,
  type ProviderRecord,
  routeTo,
  type Target,
  takesNoLimit,
} from '@model-gateway/catalog';
import { exactMembersInSteps, jsonStep, writeInSteps } from '@model-gateway/json';
import type { Reservation } from './budgets.ts';
import type { ReceivedForm } from './form/received.ts';
import type { ClientBody, GatewayRequest, ParsedCount } from './gateway-request.ts';

/** The properties of a request that its routes depend on. */
interface PlannedRequest {
  type: Exclude<Operation, 'realtime'>;
  /** Number of inputs, if upstreams limit it. */
  inputs?: number;
  /** The field with -1 for no token limit. */
  unlimited?: string;
}

/** A target, with its provider's record if the catalog has one. */
interface PlannedTarget {
  target: Target;
  provider: ProviderRecord | undefined;
}

/**
 * Returns the routes of a request in the order of attempts, from the catalog as it is now; none only for a count of tokens.
 * @throws GatewayError if none of the model's targets supports the request
 */
export function plan(
  request: PlannedRequest,
  found: FoundModel,
  format: WireFormat,
  body: ClientBody['type'],
  catalog: Catalog,
): Route[] {
  const { type: operation, inputs, unlimited } = request;
  const query = { operation, format, inputs, form: body === 'form' };
  const targets = targetsOf(found, catalog);
  const routes = targets.flatMap(
    ({ target, provider }) => (provider && routeTo(provider, target, found.model, query)) ?? [],
  );
  if (routes.length === 0) throw withoutRoute(targets, operation);
  if (operation === 'count-tokens') return routes.filter(route => counting.has(route.format));
  return unlimited === undefined ? routes : unlimitedRoutes(routes, unlimited, catalog);
}

/**
 * Returns the routes of a session to upstreams with a realtime API, in the order of attempts; none if the gateway holds
 * the session itself.
 * @throws GatewayError if the model names upstreams for its sessions, and none of them is in the catalog
 */
export function planSession(found: FoundModel, catalog: Catalog): Route[] {
  const { model } = found;
  const query = { operation: 'realtime', format: 'realtime' } as const;
  const targets = targetsOf(found, catalog);
  const routes = targets.flatMap(({ target, provider }) => {
    if (!provider || !isBridged(model, provider, target.model)) return [];
    return routeTo(provider, target, model, query) ?? [];
  });
  if (model.realtime === 'upstream' && routes.length === 0) throw withoutRoute(targets, 'realtime');
  return routes;
}

function targetsOf({ model, match }: FoundModel, catalog: Catalog): PlannedTarget[] {
  return orderTargets(model, match, Math.random).map(target => ({
    target,
    provider: catalog.provider(target.provider),
  }));
}

/** Returns a model of the catalog. @throws GatewayError of kind `not-found` */
export function findModel(catalog: Catalog, name: string, param?: string): FoundModel {
  const found = catalog.model(name);
  if (found) return found;
  throw new GatewayError('not-found', `The model '${name}' does not exist or you do not have access to it.`, {
    ...(param !== undefined && { param }),
    code: 'model_not_found',
  });
}

/** The formats with an API that counts the tokens of a request. */
const counting: ReadonlySet<WireFormat> = new Set(['messages', 'generate-content', 'responses']);

/** Returns the routes that accept a verbatim request with -1 for no token limit. @throws GatewayError if there is none */
function unlimitedRoutes(routes: readonly Route[], field: string, catalog: Catalog): Route[] {
  const unlimited = routes.filter(route => {
    const provider = catalog.provider(route.provider);
    return route.body === 'verbatim' && provider !== undefined && takesNoLimit(provider);
  });
  if (unlimited.length > 0) return unlimited;
  const message = `Invalid '${field}': expected a value of at least 1, but got -1. This model does not accept -1 as unlimited: omit '${field}'.`;
  throw new GatewayError('invalid-request', message, { param: field, code: 'integer_below_min_value' });
}

/** The error of a request that no target supports. */
function withoutRoute(targets: readonly PlannedTarget[], operation: Operation): GatewayError {
  const unknown = targets.find(({ provider }) => provider === undefined);
  if (unknown)
    return new GatewayError('upstream', `The provider '${unknown.target.provider}' is not in the catalog.`);
  const message = `This model does not support ${operationLabels[operation]}.`;
  return new GatewayError('invalid-request', message, { param: 'model', code: 'unsupported_model' });
}

/** A body as it crosses the bus, with the fields of the envelope that describe it. */
export interface SentBody {
  body: RequestBody;
  sent: Pick<Envelope, 'textLength' | 'form'>;
}

/** The bodies of a request, and the routes for which there is one. */
export interface RequestBodies {
  routes: readonly Route[];
  bodies: Partial<Record<Route['body'], SentBody>>;
}

/**
 * Makes the bodies that the routes need. Routes that need the canonical request are left out if it cannot be made and
 * others remain.
 * @throws GatewayError if no route remains
 */
export async function makeBodies(
  request: GatewayRequest,
  body: ClientBody,
  routes: readonly Route[],
  share: Reservation,
): Promise<RequestBodies> {
  const own = routes.filter(route => route.body !== 'canonical');
  const ownBody = own.length > 0 ? ownBodyOf(body) : {};
  if (own.length === routes.length) return { routes, bodies: ownBody };
  try {
    const canonical = { body: await canonicalBody(request, body, share), sent: { textLength: 0 } };
    return { routes, bodies: { ...ownBody, canonical } };
  } catch (thrown) {
    if (own.length > 0 && untranslatable.has(toGatewayError(thrown).kind))
      return { routes: own, bodies: ownBody };
    throw thrown;
  }
}

/** Kinds of errors after which a request is sent only to targets of its format. */
const untranslatable: ReadonlySet<string> = new Set([
  'invalid-request',
  'too-large',
  'overloaded',
  'rate-limited',
]);

function ownBodyOf(body: ClientBody): RequestBodies['bodies'] {
  if (body.type === 'text') return { verbatim: { body: body.text, sent: { textLength: body.text.length } } };
  const { form } = body;
  const text = form.text();
  return { form: { body: () => formBody(text, form), sent: { textLength: text.length, form: true } } };
}

/** Yields a form's JSON, then the bytes of its files, which are read again for each route. */
async function* formBody(text: Buffer, form: ReceivedForm): AsyncGenerator<Uint8Array, void> {
  yield text;
  yield* form.bytes();
}

async function canonicalBody(request: GatewayRequest, body: ClientBody, share: Reservation): Promise<Buffer> {
  const { turn } = body;
  const canonical = await canonicalRequest(request, body);
  await turn();
  const pieces =
    sizeOf(body) > jsonStep ? await writeInSteps(canonical, turn) : [Buffer.from(JSON.stringify(canonical))];
  await turn();
  share.take(pieces.reduce((sum, { length }) => sum + length, 0));
  const [only] = pieces;
  return pieces.length === 1 ? (only as Buffer) : Buffer.concat(pieces);
}

function sizeOf(body: ClientBody): number {
  return body.type === 'text' ? body.text.length : body.form.files.reduce((sum, file) => sum + file.size, 0);
}

/** Returns the canonical request. Exact members of a large body are parsed again in steps. @throws GatewayError */
export function canonicalRequest(request: ParsedCount, body: ClientBody): Promise<GenerateRequest>;
export function canonicalRequest(request: GatewayRequest, body: ClientBody): Promise<OperationRequest>;
export async function canonicalRequest(request: GatewayRequest, body: ClientBody): Promise<OperationRequest> {
  switch (request.type) {
    case 'generate':
    case 'count-tokens': {
      const { exact = [] } = request;
      const inSteps = exact.length > 0 && body.type === 'text' && body.text.length > jsonStep;
      return request.canonical(
        inSteps ? await exactMembersInSteps(body.text.toString('utf8'), exact, body.turn) : undefined,
      );
    }
    default:
      return request.canonical();
  }
}
