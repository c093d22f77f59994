import type { Token } from '@model-gateway/access';
import { appended } from '@model-gateway/bus';
import {
  type BilledExtras,
  billedExtras,
  type ErrorKind,
  type GatewayError,
  type Operation,
  type RequestEnd,
  type RequestExtras,
  type RunningRequest,
  type RunningState,
  type Usage,
} from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { RequestTrace } from '../attempts/request-trace.ts';
import type { NotedAttempt } from '../attempts/running-attempt.ts';

/** The most attempts of a request that its log line tells about. */
const maxNoted = 20;

/** The requests of a process, which are told of changes. */
interface Requests {
  readonly clock: Clock;
  /** The time at which the monotonic clock is 0, in milliseconds since 1970. */
  readonly timeOrigin: number;
  changed(entry: RunningEntry): void;
  recovered(entry: RunningEntry): void;
}

/** The work of a request, which an administrator may end. */
interface EndableWork {
  /** Usage of the request; undefined while it is not known. */
  readonly usage?: Usage | undefined;
  /** Ends the work with an error. */
  end(reason: GatewayError): void;
}

/** The facts of a request in flight, as far as it came. */
export class RunningEntry {
  readonly requestId: string;
  /** The path of the endpoint. */
  readonly endpoint: string;
  readonly format: string;
  /** The client's address; undefined for background work. */
  readonly client: string | undefined;
  /** Start of the request, by the monotonic clock. */
  readonly startedAt: number;
  token: Token | undefined;
  /** The model name that the client sent; empty until it is read. */
  model = '';
  operation: Operation | undefined;
  stream = false;
  /** Its hosted tools and its service tier. */
  #extras: RequestExtras | undefined;
  work: EndableWork | undefined;
  /** Its trace, if it has one. */
  trace: RequestTrace | undefined;
  /** The last attempts, in their order. */
  noted: readonly NotedAttempt[] = [];
  /** The attempt that was made last, or that answers. */
  #attempt: NotedAttempt | undefined;
  /** True while no attempt runs. */
  #waits = true;
  /** Attempts that were begun. */
  #attempts = 0;
  /** Attempts that failed. */
  #failures = 0;
  /** The time at which the answer began, in milliseconds since 1970. */
  #firstAt: number | undefined;
  /** Size of the answer so far, in bytes. */
  #bytes = 0;
  #open = false;
  /** Set once it has ended. */
  end: RequestEnd | undefined;
  readonly #requests: Requests;

  constructor(
    requests: Requests,
    requestId: string,
    { path, format }: { path: string; format: string },
    client: string | undefined,
  ) {
    this.#requests = requests;
    this.startedAt = requests.clock.monotonic();
    this.requestId = requestId;
    this.endpoint = path;
    this.format = format;
    this.client = client;
  }

  /** Start of the request, in milliseconds since 1970. */
  get at(): number {
    return Math.floor(this.#requests.timeOrigin + this.startedAt);
  }

  /** Time to the first part of the answer, in milliseconds; undefined before it. */
  get firstMs(): number | undefined {
    return this.#firstAt === undefined ? undefined : Math.max(0, this.#firstAt - this.at);
  }

  /** Notes what is known once the request is read. */
  parsed(request: { type: Operation; model: string; stream?: boolean; extras?: RequestExtras }): void {
    this.operation = request.type;
    this.model = request.model;
    this.stream = request.stream === true;
    this.#extras = request.extras;
  }

  /** Notes an attempt that begins. */
  took(attempt: NotedAttempt): void {
    this.noted = appended(this.noted, attempt, maxNoted);
    this.#attempt = attempt;
    this.#waits = false;
    this.#attempts++;
    this.#requests.changed(this);
  }

  /** Notes an attempt that has failed. `other`: another that runs. */
  failed(other: NotedAttempt | undefined): void {
    this.#failures++;
    this.#waits = other === undefined;
    if (other) this.#attempt = other;
  }

  /** Notes the attempt whose answer has begun. */
  answers(attempt: NotedAttempt): void {
    this.#attempt = attempt;
    this.#firstAt ??= this.#requests.clock.now();
    this.#requests.changed(this);
    if (this.#failures > 0) this.#requests.recovered(this);
  }

  /** Notes a part of the answer. */
  received(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Notes that a realtime session is open. */
  opened(): void {
    this.#open = true;
    this.#requests.changed(this);
  }

  /** Ends its trace. */
  endTrace(status: number, error: ErrorKind | undefined): void {
    const { token, model, operation, stream } = this;
    this.trace?.end(
      {
        'gateway.model': model || undefined,
        'gateway.operation': operation,
        'gateway.stream': stream,
        'gateway.token.id': token?.id,
        'gateway.token.name': token?.name,
        'gateway.project': token?.project,
        'gateway.user': token?.owner,
        'gateway.attempts': this.#attempts,
      },
      status,
      error,
    );
  }

  /** Returns what an administrator sees of the request. `process`: the name of this process. */
  show(process: string): RunningRequest {
    const { token, at, client, firstMs } = this;
    const route = this.#attempt?.route;
    return {
      requestId: this.requestId,
      at,
      ms: Math.round(this.#requests.clock.monotonic() - this.startedAt),
      state: this.state,
      endpoint: this.endpoint,
      format: this.format,
      ...(this.operation && { operation: this.operation }),
      model: this.model,
      stream: this.stream,
      tokenId: token?.id ?? '',
      tokenName: token?.name ?? '',
      project: token?.project ?? '',
      ...(token?.owner && { owner: token.owner }),
      ...(client && { client }),
      ...(route && { provider: route.provider, upstreamModel: route.model }),
      ...(route?.fallback && { fallback: route.fallback }),
      attempts: this.#attempts,
      failovers: this.#failures,
      ...(firstMs !== undefined && { firstMs }),
      answerBytes: this.#bytes,
      process,
    };
  }

  /** Returns what an attempt is billed for beside tokens. */
  billed({ route }: Pick<NotedAttempt, 'route'>): BilledExtras {
    return this.#extras ? billedExtras(this.#extras, route) : {};
  }

  /** The same of the last attempt. */
  get billedLast(): BilledExtras {
    return this.#attempt ? this.billed(this.#attempt) : {};
  }

  /** Number of attempts that were begun. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Size of the answer so far, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  get tokenId(): string {
    return this.token?.id ?? '';
  }

  get project(): string {
    return this.token?.project ?? '';
  }

  get owner(): string | undefined {
    return this.token?.owner;
  }

  /** The provider of the last attempt. */
  get provider(): string | undefined {
    return this.#attempt?.route.provider;
  }

  get state(): RunningState {
    if (this.#open || (this.stream && this.#firstAt !== undefined)) return 'streaming';
    if (this.#waits) return 'waiting';
    return this.#attempt?.call?.accepted ? 'running' : 'queued';
  }
}
