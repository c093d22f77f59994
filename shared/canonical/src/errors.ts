/** Every way a request can fail. Each ingress maps every kind to its own status, type and code. */
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

/** What a {@link GatewayError} says beside its kind and message. */
export interface ErrorDetails {
  /** The field that is wrong, as a path such as `messages[0].role`. */
  param?: string;
  /** The field's error code, as the chat format names it (`missing_required_parameter`, `model_not_found`). */
  code?: string;
  /** How long the caller should wait before it tries again, in milliseconds. */
  retryAfterMs?: number;
  /** The upstream was not asked, since its format cannot carry the request: that of another one may. */
  notRepresentable?: boolean;
  /** The token has all that it may have of something here: no upstream was asked, and another process may do better. */
  share?: boolean;
  /** So many workers were lost over the request that it may be the cause: nobody is given it again. */
  lostWorkers?: boolean;
  /** What a model said in place of its answer: its client is told, and no log. */
  said?: string;
  /** Who answered with the error, for the log: the upstream's status and request id. */
  upstream?: { provider: string; status?: number; requestId?: string };
}

/** An error that may be shown to a client: its message holds no secret, host or stack trace. */
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

/** Whether another upstream may do better: not where the request itself is at fault, or the gateway. */
export function anotherMayHelp({ kind, notRepresentable, lostWorkers }: Failure): boolean {
  if (lostWorkers) return false;
  return notRepresentable === true || !requestAtFault.has(kind);
}

/** What decides whether another upstream is asked: of an error, or of the event that tells it. */
interface Failure {
  kind: ErrorKind;
  notRepresentable?: boolean | undefined;
  lostWorkers?: boolean | undefined;
}

/** An error in writing a request in an upstream's format: if it is the request's, it is of this format alone. */
export function asUnsayable(error: GatewayError): GatewayError {
  const { kind, message, details, cause } = error;
  if (kind !== 'invalid-request') return error;
  return new GatewayError(kind, message, { ...details, notRepresentable: true }, { cause });
}

const requestAtFault = new Set<ErrorKind>(['invalid-request', 'too-large', 'cancelled', 'internal']);

/** Makes anything thrown presentable: a `GatewayError` is kept, all else is `internal` with its cause for the log. */
export function toGatewayError(thrown: unknown): GatewayError {
  return thrown instanceof GatewayError
    ? thrown
    : new GatewayError('internal', 'The gateway failed to handle this request.', {}, { cause: thrown });
}
