import type { RequestBody } from '@model-gateway/bus';
import {
  type Envelope,
  GatewayError,
  jsonStep,
  type Operation,
  operationLabels,
  type TargetRef,
  type Turn,
  toGatewayError,
  type WireFormat,
  writeInSteps,
} from '@model-gateway/canonical';
import {
  type Catalog,
  formatFor,
  orderTargets,
  type RouteQuery,
  type Target,
  takesNoLimit,
  takesText,
} from '@model-gateway/catalog';
import { nextTurn } from '@model-gateway/service';
import { canonicalRequest, counts } from './count.ts';
import type { Endpoint, ParsedOperation } from './endpoint.ts';
import type { ReceivedForm } from './form/received.ts';
import type { Reservation } from './memory-budget.ts';

const noBytes = Buffer.alloc(0);

/** A pool, the targets to try there, and the body for them. */
export interface Route extends PoolTargets {
  body: RequestBody;
  sent: Pick<Envelope, 'textLength' | 'form'>;
}

/** A parsed request of any kind. */
export type Parsed = ReturnType<Endpoint['parse']>;

/** Builds the routes of a request to its model's targets, in the order of attempts. */
export class RoutePlan {
  readonly #catalog: Catalog;
  readonly #endpoint: Pick<Endpoint, 'operation' | 'format'>;
  readonly #targets: readonly Target[];
  /** Reserves the memory of the canonical request. */
  readonly #share: Reservation;

  constructor(
    catalog: Catalog,
    endpoint: Pick<Endpoint, 'operation' | 'format'>,
    targets: readonly Target[],
    share: Reservation,
  ) {
    this.#catalog = catalog;
    this.#endpoint = endpoint;
    this.#share = share;
    this.#targets = targets;
  }

  /** Returns the targets that support the request. @throws GatewayError if there is none */
  supported(parsed: Parsed): RoutePlan {
    const supported = this.#only(target => this.#formatOf(target) !== null);
    if (supported.#targets.length === 0) throw unsupportedOperation(this.#endpoint.operation);
    return 'unlimited' in parsed && parsed.unlimited ? supported.#unlimited(parsed.unlimited) : supported;
  }

  /** Returns the targets that accept a verbatim request with -1 for no token limit. */
  #unlimited(field: string): RoutePlan {
    const unlimited = this.#only(({ provider }) => {
      const record = this.#catalog.provider(provider);
      return record !== undefined && takesNoLimit(record) && takesText(record, this.#asking());
    });
    if (unlimited.#targets.length === 0) throw unlimitedRefused(field);
    return unlimited;
  }

  /** Returns the targets that count tokens, possibly none. */
  counting(): RoutePlan {
    return this.#only(target => counts(this.#formatOf(target)));
  }

  /** Builds routes with the client's text for targets of its format and the canonical request for others. */
  async ofText(parsed: Parsed, body: Buffer, turn: Turn): Promise<Route[]> {
    const { verbatim, canonical, usable } = await this.#bodies(parsed, { body, size: body.length, turn });
    const text = verbatim.length > 0 ? body : noBytes;
    const whole = canonical.length === 0 ? text : Buffer.concat([text, ...canonical]);
    const sent = { textLength: text.length };
    return byPool(this.#catalog, usable).map(route => ({ ...route, sent, body: whole }));
  }

  /** Builds the routes of a form, whose files are read again for each target. */
  async ofForm(parsed: ParsedOperation, form: ReceivedForm, owner: string): Promise<Route[]> {
    const size = form.files.reduce((sum, file) => sum + file.size, 0);
    const turn = () => nextTurn(size, owner);
    const { verbatim, canonical, usable } = await this.#bodies(parsed, { body: noBytes, size, turn });
    const text = form.text();
    const asForm = { body: () => formBody(text, form), sent: { textLength: text.length, form: true } };
    const translated = { body: Buffer.concat(canonical), sent: { textLength: 0 } };
    return usable.flatMap(target =>
      byPool(this.#catalog, [target]).map(route => ({
        ...route,
        ...(verbatim.includes(target) ? asForm : translated),
      })),
    );
  }

  /**
   * Returns the usable targets, those of them that take the client's text, and the canonical request for the others.
   * A request that cannot be translated is sent only to targets of its format. `turn` separates the steps of a large
   * request.
   */
  async #bodies(parsed: Parsed, { body, size, turn }: { body: Buffer; size: number; turn: Turn }) {
    const targets = this.#targets;
    const asking = this.#asking('inputs' in parsed ? parsed.inputs : undefined);
    const verbatim = targets.filter(({ provider }) => {
      const record = this.#catalog.provider(provider);
      return record !== undefined && takesText(record, asking);
    });
    const other = targets.some(target => this.#formatOf(target) && !verbatim.includes(target));
    if (!other) return { verbatim, canonical: [], usable: targets };
    try {
      const request = await canonicalRequest(parsed, body, turn);
      await turn();
      const canonical =
        size > jsonStep ? await writeInSteps(request, turn) : [Buffer.from(JSON.stringify(request))];
      await turn();
      this.#share.take(canonical.reduce((sum, { length }) => sum + length, 0));
      return { verbatim, canonical, usable: targets };
    } catch (thrown) {
      const verbatimAllowed = ['invalid-request', 'too-large', 'overloaded', 'rate-limited'].includes(
        toGatewayError(thrown).kind,
      );
      if (verbatim.length > 0 && verbatimAllowed) return { verbatim, canonical: [], usable: verbatim };
      throw thrown;
    }
  }

  #only(wanted: (target: Target) => boolean): RoutePlan {
    return new RoutePlan(this.#catalog, this.#endpoint, this.#targets.filter(wanted), this.#share);
  }

  #asking(inputs?: number): RouteQuery {
    const { operation, format } = this.#endpoint;
    return { operation, format, inputs };
  }

  /** The format for a target; undefined if its provider is unknown, null if it does not support the operation. */
  #formatOf({ provider }: Target): WireFormat | null | undefined {
    const record = this.#catalog.provider(provider);
    return record && (formatFor(record, this.#asking()) ?? null);
  }
}

/** Yields a form's JSON, then the bytes of its files. */
async function* formBody(text: Buffer, form: ReceivedForm): AsyncGenerator<Uint8Array, void> {
  yield text;
  yield* form.bytes();
}

function unsupportedOperation(operation: Operation): GatewayError {
  const message = `This model does not support ${operationLabels[operation]}.`;
  return new GatewayError('invalid-request', message, { param: 'model', code: 'unsupported_model' });
}

function unlimitedRefused(field: string): GatewayError {
  const message = `Invalid '${field}': expected a value of at least 1, but got -1. This model does not accept -1 as unlimited: omit '${field}'.`;
  return new GatewayError('invalid-request', message, { param: field, code: 'integer_below_min_value' });
}

/** Consecutive targets that are served by the same pool. */
export interface PoolTargets {
  pool: string;
  targets: TargetRef[];
}

/** Groups consecutive targets of a model by the pool of workers that can reach them. */
function byPool(catalog: Catalog, targets: readonly Target[]): PoolTargets[] {
  const groups: PoolTargets[] = [];
  for (const { provider, model } of targets) {
    const pool = catalog.provider(provider)?.pool ?? 'default';
    const group = groups.at(-1);
    if (group?.pool === pool) group.targets.push({ provider, model });
    else groups.push({ pool, targets: [{ provider, model }] });
  }
  return groups;
}

/** Returns the targets of a model by pool; the first is drawn by weight. @throws GatewayError of kind `not-found` */
export function routesTo(catalog: Catalog, model: string): PoolTargets[] {
  const found = catalog.model(model);
  if (!found) {
    const message = `The model '${model}' does not exist or you do not have access to it.`;
    throw new GatewayError('not-found', message, { param: 'model', code: 'model_not_found' });
  }
  return byPool(catalog, orderTargets(found.model, found.match, Math.random));
}
