import type { GenerateEvent } from '@model-gateway/canonical';
import type { CountRenderer, ParsedCount } from '@model-gateway/formats/client';
import type { Endpoint } from '../answer/endpoint.ts';
import type { ResponseSink } from '../answer/response-sink.ts';
import { estimateTokens } from '../plan/estimate-tokens.ts';
import { canonicalRequest } from '../read/canonical-body.ts';
import type { ClientBody } from '../read/client-body.ts';

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
