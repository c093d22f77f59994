import { GatewayError } from '@model-gateway/canonical';
import { invalidRequest, type ParsedOperation, type ReceivedForm } from '@model-gateway/ingress';
import { imageVariationForm } from '@model-gateway/wire';
import { fieldsOf } from '../fields.ts';
import { filesOf, typesOf } from '../files/files.ts';
import { variationsRenderer } from './render.ts';

/** @throws GatewayError of kind `invalid-request` */
export async function parseForm(form: ReceivedForm): Promise<ParsedOperation> {
  const files = filesOf(form, { maxImages: 1, others: [] });
  const body = fieldsOf(form);
  const { success, data, error } = imageVariationForm.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  await typesOf(form, files);
  const { model } = data;
  return { model, stream: false, canonical: () => refuse(model), render: variationsRenderer };
}

/** Without a prompt, no other format asks for anything. */
function refuse(model: string): never {
  const message = `The model '${model}' makes no variations; an edit with a prompt may do.`;
  throw new GatewayError('invalid-request', message, { param: 'model', code: 'unsupported_model' });
}
