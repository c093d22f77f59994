import { PassedSession, type UsageWriter } from '@model-gateway/bus';
import { GatewayError, type Route } from '@model-gateway/canonical';
import { type Catalog, telemetryName } from '@model-gateway/catalog';
import type { Clock } from '@model-gateway/clock';
import { readUsage } from '@model-gateway/formats/upstream';
import { operationNames, type Span, type Tracing, usageAttributes } from '@model-gateway/service';
import { type AttemptEnd, AttemptRecord } from '../attempt-record.ts';
import type { RealtimeSession } from './session.ts';

/** The most responses of one session tracked at once. */
export const maxOpen = 64;
/** The most responses that an upstream may report in a second: each is a record in the ledger. */
export const mostResponses = 100;
/** The characters of an upstream's text by which it is known. */
const nameCharacters = 200;

type SessionTarget = Pick<Route, 'provider' | 'model' | 'key'>;

/** The parts that make the spans of responses. */
interface TracedResponses {
  /** Absent if the process makes no spans. */
  tracing: Tracing | undefined;
  catalog: Pick<Catalog, 'provider'>;
}

/** A response that has begun, with an estimate of its input in tokens. */
interface OpenResponse {
  record: AttemptRecord;
  input: number;
}

/** Writes a usage record for each response of a session at an upstream. */
export class ResponseRecords {
  readonly #session: RealtimeSession;
  readonly #writer: Pick<UsageWriter, 'add'>;
  readonly #target: SessionTarget;
  readonly #traced: TracedResponses;
  readonly #clock: Clock;
  readonly #rate: EachSecond;
  readonly #open = new Map<string | undefined, OpenResponse>();
  /** The messages from which responses that do not end are estimated. */
  readonly #passed = new PassedSession();
  /** True if a response has begun and sent no delta yet. */
  #waiting = false;
  /** The last response that ended. Its end may be repeated. */
  #ended: string | undefined;

  constructor(
    session: RealtimeSession,
    writer: Pick<UsageWriter, 'add'>,
    { provider, model, key }: SessionTarget,
    traced: TracedResponses,
    clock: Clock,
  ) {
    this.#session = session;
    this.#writer = writer;
    this.#target = { provider, model, key };
    this.#traced = traced;
    this.#clock = clock;
    this.#rate = new EachSecond(mostResponses, clock);
  }

  /** @throws GatewayError of kind `upstream` if the upstream reports too many responses */
  read(type: 'response.created' | 'response.done', response: Record<string, unknown>): void {
    const id = textOf(response.id);
    if (type === 'response.created') {
      if (!this.#open.has(id)) this.#begin(id);
      return;
    }
    if (id !== undefined && id === this.#ended && !this.#open.has(id)) return;
    this.#ended = id;
    const { record, input } = this.#open.get(id) ?? this.#begin(id);
    this.#open.delete(id);
    record.markSent();
    const end = endOf(response);
    if (!end.usage && end.outcome !== 'failed')
      Object.assign(end, { usage: this.#passed.estimate(input, true), estimated: true });
    const status = textOf(response.status);
    record.span?.set({
      'gen_ai.response.finish_reasons': status === undefined ? undefined : [status],
      ...usageAttributes(end.usage),
    });
    record.end(end);
  }

  /** Takes note of a message of the client that is passed on. */
  sent(data: Uint8Array): void {
    this.#passed.sent(data);
  }

  /** Takes note of an event of the upstream. Open responses are charged once a delta arrives. */
  received(data: Uint8Array): void {
    const isDelta = this.#passed.received(data);
    if (!isDelta || !this.#waiting) return;
    this.#waiting = false;
    for (const { record } of this.#open.values()) record.markSent();
  }

  /** Ends the records of unfinished responses, whose usage is estimated. The client is charged for them if it left. */
  close(end: Pick<AttemptEnd, 'outcome' | 'error' | 'endedBy'>): void {
    const last = [...this.#open.values()].at(-1);
    for (const open of this.#open.values()) this.#endOpen(open, end, open === last);
    this.#open.clear();
  }

  #endOpen(
    { record, input }: OpenResponse,
    end: Pick<AttemptEnd, 'outcome' | 'error' | 'endedBy'>,
    isLast: boolean,
  ): void {
    const usage = this.#passed.estimate(input, isLast);
    const left = end.outcome === 'cancelled';
    record.end({ ...end, ...(left && { charged: true }), usage, estimated: true });
  }

  #begin(id: string | undefined): OpenResponse {
    if (this.#rate.count() > 0)
      throw new GatewayError('upstream', 'The upstream reported too many responses in a second.');
    const { envelope } = this.#session;
    const { provider, model } = this.#target;
    const target = { provider, model };
    const { input } = this.#passed;
    const attemptId = this.#session.announce({ ...target, input });
    const span = this.#span(id);
    const attempt = { id: attemptId, envelope, ...target };
    const record = new AttemptRecord(this.#writer, attempt, this.#clock, span);
    const open = { record, input };
    this.#open.set(id, open);
    this.#waiting = true;
    if (this.#open.size > maxOpen) this.#drop();
    return open;
  }

  /** Begins the span of a response, in a trace that is sampled. */
  #span(id: string | undefined): Span | undefined {
    const { tracing, catalog } = this.#traced;
    const { trace, model } = this.#session.envelope;
    const { provider, key } = this.#target;
    const record = catalog.provider(provider);
    const name = operationNames.realtime;
    return tracing?.continue(`${name} response`, trace, {
      kind: 'client',
      attributes: {
        'gen_ai.operation.name': name,
        'gen_ai.provider.name': record ? telemetryName(record) : provider,
        'gen_ai.request.model': this.#target.model,
        'gen_ai.response.id': id,
        'gateway.model': model,
        'gateway.provider': provider,
        'gateway.key': key,
      },
    });
  }

  #drop(): void {
    const [oldest] = this.#open;
    if (!oldest) return;
    this.#open.delete(oldest[0]);
    this.#endOpen(oldest[1], { outcome: 'lost' }, false);
  }
}

/** Returns the beginning of a text; undefined if it is none. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, nameCharacters) : undefined;
}

function endOf({ status, usage }: Record<string, unknown>): AttemptEnd {
  const used = readUsage(usage);
  if (status === 'failed') return { outcome: 'failed', error: 'upstream', usage: used };
  return { outcome: status === 'cancelled' ? 'cancelled' : 'answered', usage: used };
}

const secondMs = 1_000;

/** Counts what happens in each second against a bound. */
export class EachSecond {
  readonly #most: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #began = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(most: number, clock: Pick<Clock, 'monotonic'>) {
    this.#most = most;
    this.#clock = clock;
  }

  /** The number of this second. */
  get counted(): number {
    return this.#count;
  }

  /** Counts one. Returns the rest of the second in milliseconds if the bound is reached; else 0. */
  count(): number {
    const now = this.#clock.monotonic();
    if (now - this.#began >= secondMs) {
      this.#began = now;
      this.#count = 0;
    }
    return ++this.#count < this.#most ? 0 : this.#began + secondMs - now;
  }
}
