import { extrasOf, type HostedTool, type RequestExtras, webSearchTool } from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';

/** Members of a tool that the client runs. */
const clientTools: ReadonlySet<string> = new Set(['functionDeclarations', 'computerUse']);
/** Tools that search the web, and those of them that a target of another format has, too. */
const searches: ReadonlySet<string> = new Set([
  'googleSearch',
  'googleSearchRetrieval',
  'enterpriseWebSearch',
]);
const translated: ReadonlySet<string> = new Set(['googleSearch', 'googleSearchRetrieval']);

/** Returns the tools that the upstream runs, and the service tier. */
export function parseExtras({ tools, serviceTier }: Record<string, unknown>): { extras?: RequestExtras } {
  const hosted: HostedTool[] = [];
  for (const tool of Array.isArray(tools) ? tools : [])
    for (const [key, value] of Object.entries(isJsonObject(tool) ? tool : {})) {
      if (value === null || value === undefined || clientTools.has(key)) continue;
      const name = searches.has(key) ? webSearchTool : snakeCased(key);
      hosted.push({ name, field: 'tools', ...(!translated.has(key) && { own: true as const }) });
    }
  const tier = typeof serviceTier === 'string' ? serviceTier.toLowerCase() : undefined;
  return extrasOf('generate-content', hosted, tier);
}

function snakeCased(key: string): string {
  return key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}
