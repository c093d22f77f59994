import { GatewayError } from '@model-gateway/canonical';
import type { Endpoint } from '@model-gateway/ingress';
import { generateContentFormat } from '../format.ts';
import { pathOf } from '../target.ts';
import { fields, parse } from './parse.ts';

/** The vector of one content. */
export const embedContent: Endpoint = {
  ...generateContentFormat,
  ...pathOf('embedContent'),
  format: 'embed-content',
  operation: 'embed',
  fields,
  parse,
  renderError: (error, ...rest) => generateContentFormat.renderError(ofContent(error), ...rest),
};

/** An error about the inputs, of which there is but one. */
function ofContent(error: GatewayError): GatewayError {
  const { kind, message, details, cause } = error;
  const { param } = details;
  if (!param || !/^requests(\[0\])?$/.test(param)) return error;
  const told = message.replaceAll(`'${param}'`, "'content'");
  return new GatewayError(kind, told, { ...details, param: 'content' }, { cause });
}
