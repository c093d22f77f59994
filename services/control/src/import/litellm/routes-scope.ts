import type { NewToken } from '@model-gateway/admin-api';
import type { Part } from '../account.ts';

type EndpointName = NonNullable<NewToken['endpoints']>[number];

/** Endpoints by LiteLLM's routes, without `/v1` at their beginning. */
const endpoints: Readonly<Record<string, EndpointName>> = {
  '/chat/completions': 'chat',
  '/completions': 'completions',
  '/embeddings': 'embeddings',
  '/responses': 'responses',
  '/messages': 'messages',
  '/rerank': 'rerank',
  '/images/generations': 'images',
  '/images/edits': 'images',
  '/images/variations': 'images',
  '/audio/speech': 'speech',
  '/audio/transcriptions': 'transcriptions',
  '/realtime': 'realtime',
};

/** Names of all routes of models. */
const all = new Set(['llm_api_routes', 'openai_routes', '*', '/*']);
const listOfModels = new Set(['/models', '/v1/models', '/model/info', '/v1/model/info']);

/** Returns the endpoints that a key may use: undefined for all, an empty list if it may use none that the gateway has. */
export function endpointsOf(part: Part): EndpointName[] | undefined {
  const entries = part.entries();
  const routes = entries.map(entry => entry.text() ?? '');
  if (entries.length === 0 || routes.some(route => all.has(route))) return undefined;
  const found = entries.flatMap((entry, at) => {
    const route = (routes[at] ?? '').replace(/^(\/openai)?\/v\d+(?=\/)/, '').replace(/\/?\*$/, '');
    const endpoint = endpoints[route];
    if (endpoint || listOfModels.has(routes[at] ?? '')) return endpoint ?? [];
    return entry.lose('The gateway has no such endpoint for tokens.') ?? [];
  });
  return [...new Set(found)];
}
