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
  type Asking,
  type Catalog,
  formatFor,
  orderTargets,
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

/** Workers that may be asked, and what they are sent. */
export interface Route extends PoolTargets {
  body: RequestBody;
  sent: Pick<Envelope, 'textLength' | 'form'>;
}

/** What an endpoint finds in a request. */
export type Parsed = ReturnType<Endpoint['parse']>;

/** The ways that a request can take to its model's targets, in the order in which they are tried. */
export class RoutePlan {
  readonly #catalog: Catalog;
  readonly #endpoint: Pick<Endpoint, 'operation' | 'format'>;
  readonly #targets: readonly Target[];
  /** Whose memory the request in no format takes. */
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

  /** @throws GatewayError where no target can be asked for what the endpoint is for, or for what the request is */
  supported(parsed: Parsed): RoutePlan {
    const supported = this.#only(target => this.#formatOf(target) !== null);
    if (supported.#targets.length === 0) throw unable(this.#endpoint.operation);
    return 'unlimited' in parsed && parsed.unlimited ? supported.#unlimited(parsed.unlimited) : supported;
  }

  /** Those to targets that take the client's own words, and -1 for no limit. */
  #unlimited(field: string): RoutePlan {
    const unlimited = this.#only(({ provider }) => {
      const record = this.#catalog.provider(provider);
      return record !== undefined && takesNoLimit(record) && takesText(record, this.#asking());
    });
    if (unlimited.#targets.length === 0) throw limited(field);
    return unlimited;
  }

  /** Those to targets that count tokens, of which there may be none. */
  counting(): RoutePlan {
    return this.#only(target => counts(this.#formatOf(target)));
  }

  /** With the body in the languages that the targets speak: the client's own text, and in no format. */
  async ofText(parsed: Parsed, body: Buffer, turn: Turn): Promise<Route[]> {
    const { own, canonical, speakers } = await this.#languages(parsed, { body, size: body.length, turn });
    const text = own.length > 0 ? body : noBytes;
    const whole = canonical.length === 0 ? text : Buffer.concat([text, ...canonical]);
    const sent = { textLength: text.length };
    return byPool(this.#catalog, speakers).map(route => ({ ...route, sent, body: whole }));
  }

  /** The same for a form, whose files are read anew for each target. */
  async ofForm(parsed: ParsedOperation, form: ReceivedForm, owner: string): Promise<Route[]> {
    const size = form.files.reduce((sum, file) => sum + file.size, 0);
    const turn = () => nextTurn(size, owner);
    const { own, canonical, speakers } = await this.#languages(parsed, { body: noBytes, size, turn });
    const text = form.text();
    const asForm = { body: () => formBody(text, form), sent: { textLength: text.length, form: true } };
    const translated = { body: Buffer.concat(canonical), sent: { textLength: 0 } };
    return speakers.flatMap(target =>
      byPool(this.#catalog, [target]).map(route => ({
        ...route,
        ...(own.includes(target) ? asForm : translated),
      })),
    );
  }

  /**
   * Which targets can be asked, which of them in the client's own words, and the request in no format for the others.
   * A request that cannot be translated is for the targets of its own format alone. `turn` separates the steps, of which a large
   * request takes several.
   */
  async #languages(parsed: Parsed, { body, size, turn }: { body: Buffer; size: number; turn: Turn }) {
    const targets = this.#targets;
    const asking = this.#asking('inputs' in parsed ? parsed.inputs : undefined);
    const own = targets.filter(({ provider }) => {
      const record = this.#catalog.provider(provider);
      return record !== undefined && takesText(record, asking);
    });
    const other = targets.some(target => this.#formatOf(target) && !own.includes(target));
    if (!other) return { own, canonical: [], speakers: targets };
    try {
      const request = await canonicalRequest(parsed, body, turn);
      await turn();
      const canonical =
        size > jsonStep ? await writeInSteps(request, turn) : [Buffer.from(JSON.stringify(request))];
      await turn();
      this.#share.take(canonical.reduce((sum, { length }) => sum + length, 0));
      return { own, canonical, speakers: targets };
    } catch (thrown) {
      const ownCan = ['invalid-request', 'too-large', 'overloaded', 'rate-limited'].includes(
        toGatewayError(thrown).kind,
      );
      if (own.length > 0 && ownCan) return { own, canonical: [], speakers: own };
      throw thrown;
    }
  }

  #only(wanted: (target: Target) => boolean): RoutePlan {
    return new RoutePlan(this.#catalog, this.#endpoint, this.#targets.filter(wanted), this.#share);
  }

  #asking(inputs?: number): Asking {
    const { operation, format } = this.#endpoint;
    return { operation, format, inputs };
  }

  /** What a target is asked in; undefined if nobody knows its provider, null if that cannot be asked for this at all. */
  #formatOf({ provider }: Target): WireFormat | null | undefined {
    const record = this.#catalog.provider(provider);
    return record && (formatFor(record, this.#asking()) ?? null);
  }
}

/** A form's text, and the bytes of its files. */
async function* formBody(text: Buffer, form: ReceivedForm): AsyncGenerator<Uint8Array, void> {
  yield text;
  yield* form.bytes();
}

function unable(operation: Operation): GatewayError {
  const message = `This model cannot ${operationLabels[operation]}.`;
  return new GatewayError('invalid-request', message, { param: 'model', code: 'unsupported_model' });
}

function limited(field: string): GatewayError {
  const message = `Invalid '${field}': expected a value of at least 1, but got -1. This model does not take -1 for no limit: leave '${field}' out.`;
  return new GatewayError('invalid-request', message, { param: field, code: 'integer_below_min_value' });
}

/** Targets that follow each other and are served by the same workers. */
export interface PoolTargets {
  pool: string;
  targets: TargetRef[];
}

/** Groups a model's targets, in the order in which they are to be tried, by the pool of workers that can reach them. */
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

/** The ways to a model, one of whose targets is drawn to be the first. @throws GatewayError of kind `not-found` */
export function routesTo(catalog: Catalog, model: string): PoolTargets[] {
  const found = catalog.model(model);
  if (!found) {
    const message = `The model '${model}' does not exist or you do not have access to it.`;
    throw new GatewayError('not-found', message, { param: 'model', code: 'model_not_found' });
  }
  return byPool(catalog, orderTargets(found.model, found.match, Math.random));
}
