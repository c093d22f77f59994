import { GatewayError, type GenerateRequest } from '@model-gateway/canonical';

/** Returns the error for a request field that the upstream's format cannot express. */
export function unsupported(param: string, why: string): GatewayError {
  const message = `Unsupported value for '${param}': ${why}.`;
  return new GatewayError('invalid-request', message, { param, code: 'unsupported_value' });
}

/** @throws GatewayError for a request that the upstream's format cannot express */
export function refuse(param: string, message: string): never {
  throw new GatewayError('invalid-request', message, { param });
}

/** Fields of the messages format for features that only its vendor has. */
const vendorFields = ['mcp_servers', 'container', 'thinking'];

/** @throws GatewayError for a feature that only the vendor of the messages format has */
export function refuseVendorFields({ extensions }: GenerateRequest): void {
  for (const field of vendorFields) {
    const value = extensions?.messages?.[field];
    if (value && !(Array.isArray(value) && value.length === 0))
      throw unsupported(field, "this model's provider does not support it");
  }
}

/** @throws GatewayError for a choice that names a missing tool, or that requires a tool when there are none */
export function checkToolChoice({ tools = [], toolChoice }: GenerateRequest): void {
  if (!toolChoice || toolChoice.type === 'auto' || toolChoice.type === 'none') return;
  if (tools.length === 0) throw refused('it needs tools, but the request has none');
  if (toolChoice.type !== 'tool') return;
  const { name } = toolChoice;
  const named = tools.some(tool => {
    if ('name' in tool) return tool.name === name;
    const value = tool.type === 'opaque' ? tool.value : tool.own?.value;
    return tool.type === 'web-search' ? name === (value?.name ?? 'web_search') : value?.name === name;
  });
  if (!named) throw refused(`the request has no tool '${name}'`);
}

function refused(why: string): GatewayError {
  const message = `Invalid 'tool_choice': ${why}.`;
  return new GatewayError('invalid-request', message, { param: 'tool_choice', code: 'invalid_value' });
}
