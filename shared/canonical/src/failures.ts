import { anotherMayHelp, GatewayError } from './errors.ts';

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
