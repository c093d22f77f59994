import type { WireFormat } from './wire-format.ts';

/** The kinds of failure. Each ingress maps every kind to its own status, type and code. */
export const errorKinds = [
  'invalid-request',
  'unauthenticated',
  'forbidden',
  'not-found',
  'too-large',
  'rate-limited',
  'quota-exceeded',
  'overloaded',
  'timeout',
  'upstream',
  'cancelled',
  'internal',
] as const;

export type ErrorKind = (typeof errorKinds)[number];

/** The origins of an `overloaded` error, which is a 503 in most formats: `x-gateway-reason`, and the headings of docs/troubleshooting.md. */
export const overloadReasons = [
  // Of any process
  'bus_unavailable',
  'shutting_down',
  'too_many_connections',
  // Of workers and upstreams
  'no_worker',
  'workers_full',
  'queue_full',
  'answer_memory_full',
  'upstream_overloaded',
  // Of an ingress
  'tokens_outdated',
  'limits_unavailable',
  'budgets_unavailable',
  'body_memory_full',
  'upload_space_full',
  'upload_storage_failed',
  'response_store_full',
  'response_store_unavailable',
  'response_reads_full',
  'sessions_full',
  'session_messages_full',
  'client_secrets_full',
  'client_secrets_unavailable',
  // Of the admin API
  'admin_api_starting',
  'database_unavailable',
  'database_timeout',
  'database_conflict',
  'idempotency_key_expired',
  'health_unknown',
  'load_unknown',
  'sign_ins_full',
  'request_followers_full',
  'request_queries_full',
  'processes_silent',
] as const;

export type OverloadReason = (typeof overloadReasons)[number];

/** Error code of a request that an administrator ended. */
const endedCode = 'request_ended';

/** Error code of a prompt that is too long for the model, for every vendor's error. */
export const contextLengthCode = 'context_length_exceeded';

/** Optional details of a {@link GatewayError}. */
export interface ErrorDetails {
  /** Path of the invalid field as the client names it, such as `messages[0].role`; if `path` is set, as the upstream does. */
  param?: string;
  /**
   * Canonical path of the invalid field, a `FieldPath`. The ingress names the field to its client in `param`. Without
   * `param`, the sentence is the gateway's: the name also takes the place of `{path}` in the message.
   */
  path?: string;
  /** Error code in the terms of the chat format (`missing_required_parameter`, `model_not_found`). */
  code?: string;
  /** Time that the caller should wait before a retry, in milliseconds. */
  retryAfterMs?: number;
  /** Set if the upstream's format cannot represent the request, or the upstream lacks what only it would have: another may succeed. */
  notRepresentable?: boolean;
  /**
   * Set if the token used up its share of this process. No upstream was called; another process may have
   * room.
   */
  share?: boolean;
  /** Set if the request reached no upstream, for a reason that is not its own: it counts for nothing. */
  unserved?: boolean;
  /** Set if a limit of tokens refused the request. */
  ofTokens?: boolean;
  /** Set if the same request will never succeed, though its kind says otherwise. */
  final?: boolean;
  /** Set if so many workers were lost over the request that it may be the cause: it is not tried again. */
  lostWorkers?: boolean;
  /** The origin of an `overloaded` error that the gateway itself makes: see {@link reasonOf}. */
  reason?: OverloadReason;
  /** Set if the upstream refused the gateway's credential. */
  refusedKey?: boolean;
  /** The administrator who ended the request, for its usage record. Never sent to the client. */
  endedBy?: string;
  /** Set for work that the gateway itself gave up: see {@link givenUp}. */
  givenUp?: boolean;
  /** Text that the model returned instead of an answer: sent to the client, never logged. */
  said?: string;
  /** The part of an upstream's answer that could not be read, such as `response.created: response.id: …`, or the setting to change, for the log alone. */
  fault?: string;
  /** The upstream's `details` of an error, of which only the clients of its format can make something. */
  vendorDetails?: { format: WireFormat; value: unknown };
  /** Set if the error is that of an attempt at an upstream, which its worker has recorded. */
  attempted?: boolean;
  /** Source of the error: the upstream's HTTP status, and its request id for the log. */
  upstream?: { provider: string; status?: number; requestId?: string };
}

/** An error that may be sent to a client: its message holds no secret, host or stack trace. */
export class GatewayError extends Error {
  readonly kind: ErrorKind;
  readonly details: ErrorDetails;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GatewayError';
    this.kind = kind;
    this.details = details;
  }

  get notRepresentable(): boolean | undefined {
    return this.details.notRepresentable;
  }

  get lostWorkers(): boolean | undefined {
    return this.details.lostWorkers;
  }
}

/** Returns an error of kind `overloaded`. All of the gateway's own are made here, so that each has a reason. */
export function overloaded(
  reason: OverloadReason,
  message: string,
  details: Omit<ErrorDetails, 'reason'> = {},
  options?: ErrorOptions,
): GatewayError {
  return new GatewayError('overloaded', message, { ...details, reason }, options);
}

/** Returns the origin of an `overloaded` error; undefined for another kind. Without a reason, it is an upstream's. */
export function reasonOf({ kind, details }: GatewayError): OverloadReason | undefined {
  return kind === 'overloaded' ? (details.reason ?? 'upstream_overloaded') : undefined;
}

/** The error of a request that an administrator ended. */
export function endedByAdmin(name: string): GatewayError {
  return new GatewayError('cancelled', 'An administrator ended this request.', {
    code: endedCode,
    final: true,
    endedBy: name,
  });
}

/** Returns the administrator who ended the work of an aborted signal; undefined if none did. */
export function endedByOf({ reason }: Pick<AbortSignal, 'reason'>): string | undefined {
  return reason instanceof GatewayError ? reason.details.endedBy : undefined;
}

/** The reason to abort an attempt that the gateway itself gives up: another one answers the request, or an error does. */
export function givenUp(): GatewayError {
  return new GatewayError('cancelled', 'The gateway gave this attempt up.', { givenUp: true });
}

/** True if the gateway itself gave up the work of an aborted signal; false if the client left, or the request was ended. */
export function isGivenUp({ reason }: Pick<AbortSignal, 'reason'>): boolean {
  return reason instanceof GatewayError && reason.details.givenUp === true;
}

/** True if another target may succeed: false if the request is invalid or the gateway failed. */
export function anotherMayHelp(failure: Failure): boolean {
  if (failure.lostWorkers) return false;
  return isNotRepresentable(failure) || !finalKinds.has(failure.kind);
}

/** True if a request is valid but not representable in one format. */
function isNotRepresentable({ notRepresentable }: Omit<Failure, 'kind'>): boolean {
  return notRepresentable === true;
}

/** The fields of an error, or of its event, that decide on a failover. */
interface Failure {
  kind: ErrorKind;
  notRepresentable?: boolean | undefined;
  lostWorkers?: boolean | undefined;
}

/** Marks an invalid request as not representable in one format: an upstream of another may take it. */
export function asNotRepresentable(error: GatewayError): GatewayError {
  const { kind, message, details, cause } = error;
  if (kind !== 'invalid-request') return error;
  return new GatewayError(kind, message, { ...details, notRepresentable: true }, { cause });
}

const finalKinds = new Set<ErrorKind>(['invalid-request', 'too-large', 'cancelled', 'internal']);

/** Returns a `GatewayError` unchanged; wraps any other value as `internal`, with its cause for the log. */
export function toGatewayError(thrown: unknown): GatewayError {
  return thrown instanceof GatewayError
    ? thrown
    : new GatewayError('internal', 'The gateway failed to handle this request.', {}, { cause: thrown });
}

/** The failures of one request's routes, of which the client gets one error. */
export class Failures {
  #error: GatewayError | undefined;
  #retryAfterMs: number | undefined;

  /** Returns false if no other route may help: the request is invalid, or the gateway failed. */
  add(failure: GatewayError): boolean {
    // "Not representable in this format" is returned only if every route failed with it.
    if (!this.#error || !failure.notRepresentable) this.#error = failure;
    if (!anotherMayHelp(failure)) return false;
    this.#retryAfterMs = shorter(this.#retryAfterMs, failure.details.retryAfterMs);
    return true;
  }

  /** True if no route has failed. */
  get isEmpty(): boolean {
    return this.#error === undefined;
  }

  /** The last failure, with the shortest wait before a retry: any upstream that recovers will do. */
  get error(): GatewayError {
    const error = this.#error ?? new GatewayError('upstream', 'The model has no upstream.');
    const retryAfterMs = this.#retryAfterMs;
    // An invalid request is not repeated.
    if (retryAfterMs === undefined || error.notRepresentable || !anotherMayHelp(error)) return error;
    const { kind, message, details, cause } = error;
    return new GatewayError(kind, message, { ...details, retryAfterMs }, { cause });
  }
}

function shorter(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
