import type { IncomingHttpHeaders } from 'node:http';
import type { Access, Token } from '@model-gateway/access';
import type { Envelope, PromptEstimate } from '@model-gateway/canonical';
import type { Catalog } from '@model-gateway/catalog';
import type { GatewayRequest } from '@model-gateway/formats/client';
import type { Endpoint } from '../answer/endpoint.ts';
import type { Deliverable } from './deliverable.ts';

interface EnvelopeContext {
  endpoint: Pick<Endpoint, 'format' | 'variant'>;
  access: Pick<Access, 'proofOf'>;
  catalog: Pick<Catalog, 'envelopeToken'>;
  requestId: string;
  estimate: PromptEstimate;
  received: { headers: IncomingHttpHeaders };
}

/** Returns a request's token as workers get it. */
export function envelopeToken(
  token: Token,
  { access, catalog, requestId }: Pick<EnvelopeContext, 'access' | 'catalog' | 'requestId'>,
): Envelope['token'] {
  const sent = catalog.envelopeToken(token);
  const proof = access.proofOf(requestId, token);
  if (proof) sent.proof = proof;
  return sent;
}

/** Returns what workers need to know about a request beside its body and its routes. */
export function envelopeOf(
  request: GatewayRequest,
  context: EnvelopeContext,
  token: Token,
  again?: Deliverable['again'],
): Deliverable['envelope'] {
  const { requestId, endpoint } = context;
  const { format, variant } = endpoint;
  return {
    requestId,
    operation: request.type,
    format,
    ...(variant && { variant }),
    model: request.model,
    stream: false,
    ...propertiesOf(request),
    ...(request.type !== 'count-tokens' && { estimate: context.estimate }),
    ...(again && { repeats: true }),
    token: envelopeToken(token, context),
    headers: { ...request.headers, ...forwardedBetas(context.received.headers) },
  };
}

/** Returns the fields of the envelope that only some operations have. */
function propertiesOf(request: GatewayRequest): Partial<Deliverable['envelope']> {
  switch (request.type) {
    case 'generate':
      return {
        stream: request.stream,
        ...(request.foreign && { foreign: true }),
        ...(request.extras && { extras: request.extras }),
      };
    case 'count-tokens':
      return request.foreign ? { foreign: true } : {};
    default: {
      const { stream, bytes, inputs, seconds } = request;
      return {
        stream,
        ...(bytes && { bytes }),
        ...(inputs !== undefined && { inputs }),
        ...(seconds !== undefined && { seconds }),
      };
    }
  }
}

/** Betas of the client's own connection, which no upstream has. */
const ofConnections = /^(?:responses_websockets|realtime)=/;

/** Returns the header by which clients of OpenAI turn betas on, for an upstream of the client's format. */
export function forwardedBetas({ 'openai-beta': value }: IncomingHttpHeaders): Record<string, string> {
  if (value === undefined) return {};
  const betas = String(value)
    .split(',')
    .map(beta => beta.trim())
    .filter(beta => beta !== '' && !ofConnections.test(beta));
  return betas.length > 0 ? { 'openai-beta': betas.join(', ') } : {};
}
