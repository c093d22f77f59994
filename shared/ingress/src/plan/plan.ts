import { allowedModels, assertModel, type Scopes } from '@model-gateway/access';
import type { RequestBody } from '@model-gateway/bus';
import {
  type Envelope,
  GatewayError,
  type Operation,
  operationLabels,
  type Route,
  toGatewayError,
  type WireFormat,
} from '@model-gateway/canonical';
import {
  type Catalog,
  type FoundModel,
  isBridged,
  keysOf,
  type ModelRecord,
  type ProviderRecord,
  routeTo,
  type Target,
  targetsOf,
} from '@model-gateway/catalog';
import type { AnswerKind } from '../attempts/running-attempt.ts';
import type { ClientBody, ReceivedForm } from '../form/received.ts';
import type { IngressDeps } from '../process/deps.ts';
import { type Candidate, chooseRoutesAndKeys, withoutLimit } from './choose-routes.ts';

/** The properties of a request that its routes depend on. */
interface PlannedRequest {
  type: Exclude<Operation, 'realtime'>;
  /** Number of inputs, if upstreams limit it. */
  inputs?: number;
  /** The field with -1 for no token limit. */
  unlimited?: string;
  stream?: boolean;
}

/** A target, with its provider's record if the catalog has one. */
interface PlannedTarget {
  target: Target;
  provider: ProviderRecord | undefined;
}

/** The state that routes are chosen by. */
interface PlanState extends Pick<IngressDeps, 'catalog' | 'health'> {
  /** The kind of answer that the request asks for; `streamed` if absent. */
  kind?: AnswerKind;
  /** Returns a text that all turns of the request's conversation share, if it has several. */
  conversation?(): string | undefined;
}

/**
 * Returns the routes of a request in the order of attempts, from the state as it is now; none only for a count of tokens.
 * @throws GatewayError if none of the model's targets supports the request
 */
export function plan(
  request: PlannedRequest,
  found: FoundModel,
  format: WireFormat,
  body: ClientBody['type'],
  state: PlanState,
): Route[] {
  const { catalog } = state;
  const { type: operation, inputs, unlimited } = request;
  const query = { operation, format, inputs, form: body === 'form' };
  const targets = plannedTargets(found, catalog);
  const all = targets.flatMap(({ target, provider }) =>
    candidate(target, provider, provider && routeTo(provider, target, found.model, query)),
  );
  if (all.length === 0) throw withoutRoute(targets, operation);
  const fit =
    operation === 'count-tokens'
      ? all.filter(({ route }) => counting.has(route.format))
      : unlimited === undefined
        ? all
        : withoutLimit(all, unlimited, catalog);
  return inOrder(fit, found, { ...state, kind: request.stream === false ? 'whole' : 'streamed' });
}

/** Returns a model's targets, with their providers. */
function plannedTargets({ model, match }: FoundModel, catalog: Catalog): PlannedTarget[] {
  return targetsOf(model, match).map(target => ({ target, provider: catalog.provider(target.provider) }));
}

/** Returns the candidate for a route; none without a route. */
export function candidate(
  { weight, price }: Target,
  provider: ProviderRecord | undefined,
  route: Route | undefined,
): Candidate[] {
  if (!route) return [];
  const several = provider?.apiKeys && provider.apiKeys.length > 1;
  return [
    {
      route,
      ...(weight !== undefined && { weight }),
      ...(price && { price }),
      ...(several && { keys: keysOf(provider) }),
    },
  ];
}

/** Returns the routes of candidates in the order of attempts. */
export function inOrder(
  candidates: readonly Candidate[],
  { model }: FoundModel,
  { health, kind = 'streamed', conversation }: PlanState,
): Route[] {
  if (candidates.length === 1 && !candidates[0]?.keys) return candidates.map(({ route }) => route);
  const { strategy, affinity = true } = model;
  return chooseRoutesAndKeys(candidates, {
    strategy,
    kind,
    health,
    now: health.clock.now(),
    random: Math.random,
    ...(affinity && conversation && { conversation }),
  });
}

/** The formats with an API that counts the tokens of a request. */
const counting: ReadonlySet<WireFormat> = new Set(['messages', 'generate-content', 'responses']);

/** The error of a request that no target supports. */
function withoutRoute(targets: readonly PlannedTarget[], operation: Operation): GatewayError {
  const unknown = targets.find(({ provider }) => provider === undefined);
  if (unknown)
    return new GatewayError('upstream', `The provider '${unknown.target.provider}' is not in the catalog.`);
  const message = `This model does not support ${operationLabels[operation]}.`;
  return new GatewayError('invalid-request', message, { param: 'model', code: 'unsupported_model' });
}

/** A body as it crosses the bus, with the field of the envelope that describes it. */
export interface SentBody {
  body: RequestBody;
  textLength: Envelope['textLength'];
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
  body: ClientBody,
  routes: readonly Route[],
  canonicalBody: () => Promise<Buffer>,
): Promise<RequestBodies> {
  const own = routes.filter(route => route.body !== 'canonical');
  const ownBody = own.length > 0 ? ownBodyOf(body) : {};
  if (own.length === routes.length) return { routes, bodies: ownBody };
  try {
    const canonical = { body: await canonicalBody(), textLength: 0 };
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
  if (body.type === 'text') return { verbatim: { body: body.text, textLength: body.text.length } };
  const { form } = body;
  const text = form.text();
  return { form: { body: () => formBody(text, form), textLength: text.length } };
}

/** Yields a form's JSON, then the bytes of its files, which are read again for each route. */
async function* formBody(text: Buffer, form: ReceivedForm): AsyncGenerator<Uint8Array, void> {
  yield text;
  yield* form.bytes();
}

/** Returns a model of the catalog that a token may use. @throws GatewayError of kind `not-found` or `forbidden` */
export function findModel(catalog: Catalog, name: string, scopes: Scopes, param?: string): FoundModel {
  const found = catalog.model(name);
  if (found) {
    assertModel(scopes, name, param);
    return found;
  }
  throw new GatewayError('not-found', `The model '${name}' does not exist or you do not have access to it.`, {
    ...(param !== undefined && { param }),
    code: 'model_not_found',
  });
}

/** Returns the models with exact names that a token may use: those of the catalog, and the token's own names that match a pattern. */
export function listModels(catalog: Catalog, scopes: Scopes): ModelRecord[] {
  if (!scopes.models) return catalog.models();
  return allowedModels(catalog.allModels(), scopes).filter(({ name }) => !name.includes('*'));
}

/**
 * Returns the routes of a session to upstreams with a realtime API, in the order of attempts; none if the gateway holds
 * the session itself.
 * @throws GatewayError if the model names upstreams for its sessions, and none of them is in the catalog
 */
export function planSession(found: FoundModel, state: PlanState): Route[] {
  const { model } = found;
  const query = { operation: 'realtime', format: 'realtime' } as const;
  const targets = plannedTargets(found, state.catalog);
  const bridged = targets.flatMap(({ target, provider }) => {
    if (!provider || !isBridged(model, provider, target.model)) return [];
    return candidate(target, provider, routeTo(provider, target, model, query));
  });
  if (model.realtime === 'upstream' && bridged.length === 0) throw withoutRoute(targets, 'realtime');
  return inOrder(bridged, found, state);
}
