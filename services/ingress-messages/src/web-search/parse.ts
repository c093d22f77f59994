import type { SearchLocation, Tool } from '@model-gateway/canonical';
import { messagesWebSearchTool } from '@model-gateway/wire';

type WebSearch = Extract<Tool, { type: 'web-search' }>;

/** The vendor's search, of whatever version; its bounds are of this format alone. */
export function webSearch(value: Record<string, unknown>): WebSearch {
  const location = locationOf(messagesWebSearchTool.parse(value).user_location ?? {});
  return { type: 'web-search', ...(location && { location }), own: { format: 'messages', value } };
}

const places = ['city', 'country', 'region', 'timezone'] as const satisfies (keyof SearchLocation)[];

function locationOf(given: SearchLocation): SearchLocation | undefined {
  const said = places.flatMap(place => (given[place] ? [[place, given[place]] as const] : []));
  return said.length > 0 ? Object.fromEntries(said) : undefined;
}
