import { GatewayError } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import type { EncodeInput } from '../dialects/dialect.ts';

/** What a dialect is given to encode, by default a request of a client of chat for a whole answer. */
export function encodeInput(
  fields: Partial<EncodeInput> & { model: string },
  envelope: Partial<EncodeInput['envelope']> = {},
): EncodeInput {
  return {
    envelope: testEnvelope({ stream: false, ...envelope }),
    drop: [],
    limits: {},
    ...fields,
  };
}

/** The error by which `run` refuses; throws if it does not. */
export function refusal(run: () => unknown): { kind: string; param: string | undefined; message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError)
      return { kind: error.kind, param: error.details.param, message: error.message };
    throw error;
  }
  throw new Error('not refused');
}
