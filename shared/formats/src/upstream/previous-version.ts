import type { GenerateFormat, GenerateRequest, Tool, WireFormat } from '@model-gateway/canonical';

/** Fields for features that only the vendor of the messages format has. */
const vendorFields = ['mcp_servers', 'container', 'thinking'];

/**
 * Adds what a canonical request of the gateway's previous version left to its client's format. Calls of that version have
 * no route. Fields that the request has stay as they are.
 */
export function completeRequest(request: GenerateRequest, format: WireFormat): GenerateRequest {
  const { extensions, messages, tools } = request;
  const cacheKey = extensions?.chat?.prompt_cache_key;
  const required = vendorFields.filter(field => isSet(extensions?.messages?.[field]));
  const prefilled = format === 'messages' && messages.at(-1)?.role === 'assistant';
  return {
    ...(format === 'messages' && { userFirst: true, signaturesBefore: true }),
    ...(format === 'generate-content' && { userFirst: true }),
    ...(prefilled && { continuesLastTurn: true }),
    ...(typeof cacheKey === 'string' && { cacheKey }),
    ...(required.length > 0 && { vendorFields: { format: 'messages' as GenerateFormat, names: required } }),
    ...request,
    ...(tools && { tools: tools.map(completeTool) }),
  };
}

function completeTool(tool: Tool): Tool {
  if (tool.type !== 'web-search' || !tool.own) return tool;
  const { format, value } = tool.own;
  const { search_context_size: size, filters } = value;
  const bounds: Record<string, unknown> = { ...value, ...Object(filters) };
  const { allowed_domains: allowedDomains, blocked_domains: blockedDomains } = bounds;
  return {
    ...(format === 'messages' && typeof value.name === 'string' && { choiceName: value.name }),
    ...(Array.isArray(allowedDomains) && allowedDomains.length > 0 && { allowedDomains }),
    ...(Array.isArray(blockedDomains) && blockedDomains.length > 0 && { blockedDomains }),
    ...(format === 'chat' && size !== undefined && { contextSize: size }),
    ...tool,
  };
}

function isSet(value: unknown): boolean {
  return Boolean(value) && !(Array.isArray(value) && value.length === 0);
}
