import { GatewayError } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import type { EncodeInput } from '../dialects/dialect.ts';
import { completeRequest } from '../previous-version.ts';

/** Returns the input of an encoder: by default a chat client's request that does not stream, with that format's traits. */
export function encodeInput(
  fields: Partial<EncodeInput> & { model: string },
  envelope: Partial<EncodeInput['envelope']> = {},
): EncodeInput {
  const sent = testEnvelope({ stream: false, ...envelope });
  const { request, ...rest } = fields;
  return {
    envelope: sent,
    drop: [],
    limits: {},
    ...rest,
    ...(request && { request: completeRequest(request, sent.format) }),
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
