import { extrasOf, type HostedTool, type RequestExtras, webSearchTool } from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';
import type { MessagesRequest } from './request.ts';

/** Tools with a type that the client runs all the same; each type ends with its date. */
const clientTool = /^(custom|bash|text_editor|computer|memory)(_\d+)?$/;

/** Returns the tools that the upstream runs, and the service tier. */
export function parseExtras(body: MessagesRequest): { extras?: RequestExtras } {
  const { tools, tool_choice: choice, mcp_servers: servers, service_tier: tier, speed } = body;
  const hosted: HostedTool[] = [];
  if (!isJsonObject(choice) || choice.type !== 'none')
    for (const { type } of tools ?? []) {
      if (typeof type !== 'string' || clientTool.test(type)) continue;
      const isSearch = type.startsWith(webSearchTool);
      hosted.push({ name: nameOf(type), field: 'tools', ...(!isSearch && { own: true as const }) });
    }
  if (Array.isArray(servers) && servers.length > 0)
    hosted.push({ name: 'mcp', field: 'mcp_servers', own: true });
  // The vendor's fast mode has prices of its own.
  return extrasOf('messages', hosted, speed === 'fast' ? speed : tier);
}

/** Returns a tool's name without the date of its type. */
function nameOf(type: string): string {
  return type.startsWith(webSearchTool) ? webSearchTool : type.replace(/_\d{8}$/, '');
}
