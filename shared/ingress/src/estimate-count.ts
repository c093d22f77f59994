import type { GenerateEvent } from '@model-gateway/canonical';
import type { CountRenderer, ParsedCount } from '@model-gateway/formats/client';
import { canonicalRequest } from './canonical-body.ts';
import type { ClientBody } from './client-body.ts';
import type { Endpoint } from './endpoint.ts';
import { estimateTokens } from './estimate-tokens.ts';
import type { ResponseSink } from './response-sink.ts';

/** Returns a function that estimates the tokens of a request, and renders the body of the response. */
export function countOf(endpoint: Endpoint, request: ParsedCount, body: ClientBody): () => Promise<Buffer> {
  return async () => {
    const { messages, tools = [] } = await canonicalRequest(request, body);
    const renderer = endpoint.render(request.rendering) as CountRenderer;
    return Buffer.from(JSON.stringify(renderer.count(await estimateTokens(messages, tools))));
  };
}

/** Returns the events of an estimated count, which the response marks by `x-gateway-estimate`. */
export async function estimated(
  count: () => Promise<Buffer>,
  response: ResponseSink,
): Promise<GenerateEvent[]> {
  const bytes = await count();
  response.setHeader('x-gateway-estimate', 'true');
  const whole = { status: 200, mediaType: 'application/json', length: bytes.length };
  return [
    { type: 'verbatim', bytes, whole },
    { type: 'finish', reason: 'stop', raw: null, usage: null },
  ];
}
