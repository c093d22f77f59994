import type { Tool } from '@model-gateway/canonical';
import { given } from '@model-gateway/canonical';
import type { ChatWebSearchOptions } from '@model-gateway/wire';

type WebSearch = Extract<Tool, { type: 'web-search' }>;

export function parseWebSearch(value: ChatWebSearchOptions): WebSearch {
  const { city, country, region, timezone } = value.user_location?.approximate ?? {};
  const location = given({ city, country, region, timezone });
  const known = Object.keys(location).length > 0;
  return { type: 'web-search', ...(known && { location }), own: { format: 'chat', value } };
}
