import { GatewayError, type GenerateRequest } from '@model-gateway/canonical';

/** A field of a request that an upstream's format has no place for. */
export function unsupported(param: string, why: string): GatewayError {
  const message = `Unsupported value for '${param}': ${why}.`;
  return new GatewayError('invalid-request', message, { param, code: 'unsupported_value' });
}

/** Fields of the messages format that ask for something to be done which only its vendor does. */
const ownWork = ['mcp_servers', 'container', 'thinking'];

/** @throws GatewayError for what no vendor but that of the messages format does */
export function refuseOwnWork({ extensions }: GenerateRequest): void {
  for (const field of ownWork) {
    const value = extensions?.messages?.[field];
    if (value && !(Array.isArray(value) && value.length === 0))
      throw unsupported(field, "this model's provider has no such thing");
  }
}

/** @throws GatewayError for a choice that means a tool which is not there: without it, the answer is not what was asked for */
export function checkToolChoice({ tools = [], toolChoice }: GenerateRequest): void {
  if (!toolChoice || toolChoice.type === 'auto' || toolChoice.type === 'none') return;
  if (tools.length === 0) throw refused('it needs tools, and the request has none');
  if (toolChoice.type !== 'tool') return;
  const { name } = toolChoice;
  const named = tools.some(tool => {
    if ('name' in tool) return tool.name === name;
    const own = tool.type === 'opaque' ? tool.value : tool.own?.value;
    return tool.type === 'web-search' ? name === (own?.name ?? 'web_search') : own?.name === name;
  });
  if (!named) throw refused(`the request has no tool '${name}'`);
}

function refused(why: string): GatewayError {
  const message = `Invalid 'tool_choice': ${why}.`;
  return new GatewayError('invalid-request', message, { param: 'tool_choice', code: 'invalid_value' });
}
