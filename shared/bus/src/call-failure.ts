import { GatewayError } from '@model-gateway/canonical';

/** The request's data beside its body do not fit a message. */
export function tooLargeHead(): GatewayError {
  return new GatewayError('too-large', 'The request has too long a model name or headers.');
}

/** The worker was lost, and no other may take the call over. */
export function workerLost(): GatewayError {
  return new GatewayError('upstream', 'The answer was cut off: its worker was lost.');
}

/** A frame of the answer is missing, or cannot be read. */
export function answerDamaged(cause: unknown): GatewayError {
  return new GatewayError('upstream', 'A part of the answer was lost.', {}, { cause });
}
