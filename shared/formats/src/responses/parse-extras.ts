import { extrasOf, type HostedTool, type RequestExtras, webSearchTool } from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';
import type { ResponsesRequest } from './request.ts';

type Tool = NonNullable<ResponsesRequest['tools']>[number];

/** Tools whose calls the client answers. */
const clientTools: ReadonlySet<string> = new Set([
  ...['function', 'custom', 'namespace', 'local_shell', 'apply_patch', 'computer', 'computer_use_preview'],
]);

/** Returns the tools that the upstream runs, and the service tier. */
export function parseExtras(body: Pick<ResponsesRequest, 'tools' | 'tool_choice' | 'service_tier'>): {
  extras?: RequestExtras;
} {
  const { tools, tool_choice: choice, service_tier: tier } = body;
  const offered = choice === 'none' ? [] : (tools ?? []);
  return extrasOf('responses', offered.flatMap(hosted), tier);
}

function hosted({ type, execution, environment, ...tool }: Tool): HostedTool[] {
  if (clientTools.has(type) || (type === 'tool_search' && execution === 'client')) return [];
  if (type === 'shell' && isJsonObject(environment) && environment.type === 'local') return [];
  const isTranslated = type.startsWith(webSearchTool) && !isOwnSearch(tool);
  const name = type.startsWith(webSearchTool) ? webSearchTool : type;
  return [{ name, field: 'tools', ...(!isTranslated && { own: true as const }) }];
}

/** True for a search of this vendor's cache, or of some domains only, which no other vendor has. */
function isOwnSearch({ external_web_access: isLive, filters }: Omit<Tool, 'type'>): boolean {
  return isLive === false || (isJsonObject(filters) && filters.allowed_domains != null);
}
