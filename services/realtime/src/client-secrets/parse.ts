import { GatewayError } from '@model-gateway/canonical';
import { modelName } from '@model-gateway/formats';
import { invalidRequest, knownFields } from '@model-gateway/formats/client';
import { parseObject } from '@model-gateway/ingress';
import { z } from 'zod';

/** The largest `session` of a secret, in bytes of JSON. */
export const maxSession = 256 * 1024;

/** The body of a request for a client secret. */
export const secretRequest = z.object({
  expires_after: z
    .object({ anchor: z.literal('created_at').optional(), seconds: z.int().min(10).max(7_200).default(600) })
    .prefault({}),
  session: z.looseObject({
    type: z.literal('realtime').default('realtime'),
    model: modelName,
  }),
});

const fields = knownFields(secretRequest);

/** A request to create a client secret. */
export interface SecretRequest {
  seconds: number;
  model: string;
  /** The initial session, including the model. */
  session: Record<string, unknown>;
}

/** @throws GatewayError of kind `invalid-request` or `too-large` */
export async function parseSecretRequest(text: Buffer): Promise<SecretRequest> {
  const body = await parseObject(text, fields);
  const { success, data, error } = secretRequest.safeParse({ session: {}, ...body });
  if (!success) throw invalidRequest(error, body);
  const { expires_after, session } = data;
  if (Buffer.byteLength(JSON.stringify(session)) > maxSession)
    throw new GatewayError('too-large', `The session is larger than ${maxSession / 1024} KB.`, {
      param: 'session',
    });
  return { seconds: expires_after.seconds, model: session.model, session };
}
