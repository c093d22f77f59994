import { GatewayError } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import type { EncodeInput } from '../dialects/dialect.ts';

/** Returns the input of an encoder: by default a chat client's request that does not stream. */
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

/** Returns the error that `run` throws. @throws Error if it throws none */
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
