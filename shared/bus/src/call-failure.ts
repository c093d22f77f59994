import { GatewayError } from '@model-gateway/canonical';

/** The request's data beside its body do not fit a message. */
export function tooLargeHead(): GatewayError {
  return new GatewayError('too-large', 'The request has too long a model name or headers.');
}

/** The worker was lost, and no other may take the call over: at once, or at all where too many were lost over it. */
export function workerLost(tooMany = false): GatewayError {
  const message = 'The answer was cut off: its worker was lost.';
  return new GatewayError('upstream', message, tooMany ? { lostWorkers: true } : {});
}

/** A frame of the answer is missing, or cannot be read. */
export function answerDamaged(cause: unknown): GatewayError {
  return new GatewayError('upstream', 'A part of the answer was lost.', {}, { cause });
}
