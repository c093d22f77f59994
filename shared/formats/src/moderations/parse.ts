import { GatewayError } from '@model-gateway/canonical';
import { invalidRequest } from '../client/invalid.ts';
import type { ParsedOperation } from '../client/parsed-request.ts';
import { defaultModerationModel, moderationsRequest } from './types.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>): ParsedOperation<string> {
  const { success, data, error } = moderationsRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  const model = data.model ?? defaultModerationModel;
  return {
    type: 'moderate',
    model,
    stream: false,
    // Every upstream that moderates speaks this format.
    canonical() {
      const message = `The model '${model}' does not support this request: its upstream does not have OpenAI's moderations API.`;
      throw new GatewayError('invalid-request', message, { param: 'model', code: 'unsupported_model' });
    },
    rendering: model,
  };
}
