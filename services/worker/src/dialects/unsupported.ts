import { GatewayError, type GenerateFormat, type GenerateRequest } from '@model-gateway/canonical';

/** Returns the error for a request field that the upstream's format cannot express. */
export function unsupported(param: string, why: string): GatewayError {
  const message = `Unsupported value for '${param}': ${why}.`;
  return new GatewayError('invalid-request', message, { param, code: 'unsupported_value' });
}

/** @throws GatewayError for a request that the upstream's format cannot express */
export function refuse(param: string, message: string): never {
  throw new GatewayError('invalid-request', message, { param });
}

/** @throws GatewayError for a feature that only the vendor of another format has */
export function refuseVendorFields({ vendorFields }: GenerateRequest, format: GenerateFormat): void {
  if (!vendorFields || vendorFields.format === format) return;
  const [field = ''] = vendorFields.names;
  throw unsupported(field, "this model's provider does not support it");
}

/** @throws GatewayError for a choice that names a missing tool, or that requires a tool when there are none */
export function checkToolChoice({ tools = [], toolChoice }: GenerateRequest): void {
  if (!toolChoice || toolChoice.type === 'auto' || toolChoice.type === 'none') return;
  if (tools.length === 0) throw refused('it needs tools, but the request has none');
  if (toolChoice.type !== 'tool') return;
  const { name } = toolChoice;
  const named = tools.some(tool => {
    if ('name' in tool) return tool.name === name;
    return tool.type === 'web-search' ? name === (tool.choiceName ?? 'web_search') : tool.value.name === name;
  });
  if (!named) throw refused(`the request has no tool '${name}'`);
}

function refused(why: string): GatewayError {
  const message = `Invalid 'tool_choice': ${why}.`;
  return new GatewayError('invalid-request', message, { param: 'tool_choice', code: 'invalid_value' });
}
