import { extrasOf, type HostedTool, type RequestExtras, webSearchTool } from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';
import type { ChatRequest } from './request.ts';

/** Tools that the client runs. */
const clientTools: ReadonlySet<unknown> = new Set(['function', 'custom']);

/** Returns the tools that the upstream runs, and the service tier. Servers of this format have tools of their own beside OpenAI's search. */
export function parseExtras(body: ChatRequest): { extras?: RequestExtras } {
  const {
    tools,
    web_search_options: search,
    search_parameters: parameters,
    plugins,
    service_tier: tier,
  } = body;
  const hosted: HostedTool[] = [];
  if (search) hosted.push({ name: webSearchTool, field: 'web_search_options' });
  // xAI's live search.
  if (isJsonObject(parameters) && parameters.mode !== 'off')
    hosted.push({ name: webSearchTool, field: 'search_parameters', own: true });
  // OpenRouter's plugins.
  for (const plugin of Array.isArray(plugins) ? plugins : [])
    if (isJsonObject(plugin)) hosted.push({ name: pluginName(plugin.id), field: 'plugins', own: true });
  for (const { type } of tools ?? [])
    if (typeof type === 'string' && !clientTools.has(type))
      hosted.push({ name: type.startsWith(webSearchTool) ? webSearchTool : type, field: 'tools', own: true });
  return extrasOf('chat', hosted, tier);
}

function pluginName(id: unknown): string {
  return id === 'web' ? webSearchTool : String(id);
}
