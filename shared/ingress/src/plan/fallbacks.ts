import { anotherMayHelp, contextLengthCode, type GatewayError, type Route } from '@model-gateway/canonical';
import type { Catalog, FallbackCause, FoundModel } from '@model-gateway/catalog';
import { meaningOfCodes, meaningOfWords } from '@model-gateway/providers/refusals';
import type { TargetHealth } from '../health/target-health.ts';
import type { RequestBodies } from './plan.ts';

/** The most models that one request may go to. */
const maxModels = 10;

/** Returns the reason for which another model may take a request over; undefined if none may. */
export function fallbackCause(error: GatewayError): FallbackCause | undefined {
  const { kind, message, details } = error;
  // Another model would not have more room for the token or project.
  if (details.share) return undefined;
  if (kind === 'too-large' && details.upstream) return 'contextLength';
  // An unknown model is a wrong name, which another model would hide.
  if (kind === 'not-found') return undefined;
  if (kind !== 'invalid-request') return anotherMayHelp(error) ? causeOfKind(kind) : undefined;
  if (details.code === contextLengthCode) return 'contextLength';
  const meaning = meaningOfCodes([details.code]) ?? meaningOfWords(message);
  return meaning === 'filtered' ? 'contentPolicy' : undefined;
}

function causeOfKind(kind: string): FallbackCause {
  return kind === 'rate-limited' || kind === 'quota-exceeded' ? 'rateLimit' : 'outage';
}

/** The ways to plan a request to a model. */
export interface FallbackOptions {
  catalog: Pick<Catalog, 'model'>;
  health: TargetHealth;
  /** Returns the routes of a model. @throws GatewayError if it has none for the request */
  plan(found: FoundModel): Route[];
  /** Makes the bodies that routes need. @throws GatewayError if none can be made */
  makeBodies(routes: readonly Route[]): Promise<RequestBodies>;
}

/** A model whose routes were planned. */
interface PlannedModel {
  /** The name by which it was asked for or listed. */
  name: string;
  found: FoundModel;
  /** The cause of its last failure. */
  cause?: FallbackCause | undefined;
}

/** The models that one request may go to: the one that it asks for, and those that `fallbacks` name, each once. */
export class Fallbacks {
  readonly #options: FallbackOptions;
  readonly #planned: PlannedModel[] = [];

  constructor(options: FallbackOptions) {
    this.#options = options;
  }

  /**
   * Returns the routes of the model that the request asks for. If all its targets rest, those of a fallback come first.
   * @throws GatewayError if it has none for the request
   */
  plan(name: string, found: FoundModel): Route[] {
    this.#planned.push({ name, found });
    return this.#unlessResting(found, this.#options.plan(found));
  }

  /** Records why a route failed. */
  failed({ fallback }: Route, error: GatewayError): void {
    const [asked] = this.#planned;
    const model = this.#planned.find(({ name }) => name === fallback) ?? asked;
    if (model) model.cause = fallbackCause(error);
  }

  /** Returns the routes of the next model that takes over for a recorded cause; undefined if there is none. */
  async next(): Promise<RequestBodies | undefined> {
    for (const { found, cause } of this.#planned.toReversed()) {
      for (const routes of this.#routesFor(found, cause)) {
        const made = await this.#options.makeBodies(routes).catch(() => undefined);
        if (made) return made;
      }
    }
    return undefined;
  }

  /** Returns a model's routes. If all its targets rest, those of its first fallback with an open one come before them. */
  #unlessResting(found: FoundModel, own: Route[]): Route[] {
    const [first] = own;
    if (!first || this.#isOpen(own)) return own;
    const cause = causeOfKind(this.#options.health.restError(first) ?? '');
    const resting = [...own];
    for (const routes of this.#routesFor(found, cause)) {
      if (this.#isOpen(routes)) return [...routes, ...resting];
      resting.push(...routes);
    }
    return resting;
  }

  /** Yields the routes of each fallback that was not planned yet. */
  *#routesFor({ model }: FoundModel, cause: FallbackCause | undefined): Generator<Route[]> {
    for (const name of (cause && model.fallbacks?.[cause]) ?? []) {
      const found = this.#options.catalog.model(name);
      const isNew = this.#planned.every(planned => planned.name !== name);
      if (!found || !isNew || this.#planned.length >= maxModels) continue;
      this.#planned.push({ name, found });
      const routes = this.#routesOf(found, name);
      if (routes.length > 0) yield this.#unlessResting(found, routes);
    }
  }

  /** Returns a fallback's routes; none if it does not support the request. */
  #routesOf(found: FoundModel, name: string): Route[] {
    try {
      return this.#options.plan(found).map(route => ({ ...route, fallback: name }));
    } catch {
      return [];
    }
  }

  #isOpen(routes: readonly Route[]): boolean {
    const { health } = this.#options;
    const now = health.clock.now();
    return routes.some(route => health.isOpen(route, now));
  }
}
