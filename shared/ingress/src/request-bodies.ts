import type { RequestBody } from '@model-gateway/bus';
import {
  type Envelope,
  type GenerateRequest,
  type OperationRequest,
  type Route,
  toGatewayError,
} from '@model-gateway/canonical';
import { exactMembersInSteps, jsonStep, writeInSteps } from '@model-gateway/json';
import type { ReceivedForm } from './form/received.ts';
import type { ClientBody, GatewayRequest, ParsedCount } from './gateway-request.ts';
import type { Reservation } from './memory-budget.ts';

/** A body as it crosses the bus, with the fields of the envelope that describe it. */
export interface SentBody {
  body: RequestBody;
  sent: Pick<Envelope, 'textLength' | 'form'>;
}

/** The bodies of a request, and the routes for which there is one. */
export interface SentRequest {
  routes: readonly Route[];
  bodies: Partial<Record<Route['body'], SentBody>>;
}

/**
 * Makes the bodies that the routes need. Routes that need the canonical request are left out if it cannot be made and
 * others remain.
 * @throws GatewayError if no route remains
 */
export async function sentRequest(
  request: GatewayRequest,
  body: ClientBody,
  routes: readonly Route[],
  share: Reservation,
): Promise<SentRequest> {
  const own = routes.filter(route => route.body !== 'canonical');
  const ownBody = own.length > 0 ? ownBodyOf(body) : {};
  if (own.length === routes.length) return { routes, bodies: ownBody };
  try {
    const canonical = { body: await canonicalBody(request, body, share), sent: { textLength: 0 } };
    return { routes, bodies: { ...ownBody, canonical } };
  } catch (thrown) {
    if (own.length > 0 && untranslatable.has(toGatewayError(thrown).kind))
      return { routes: own, bodies: ownBody };
    throw thrown;
  }
}

/** Kinds of errors after which a request is sent only to targets of its format. */
const untranslatable: ReadonlySet<string> = new Set([
  'invalid-request',
  'too-large',
  'overloaded',
  'rate-limited',
]);

function ownBodyOf(body: ClientBody): SentRequest['bodies'] {
  if (body.type === 'text') return { verbatim: { body: body.text, sent: { textLength: body.text.length } } };
  const { form } = body;
  const text = form.text();
  return { form: { body: () => formBody(text, form), sent: { textLength: text.length, form: true } } };
}

/** Yields a form's JSON, then the bytes of its files, which are read again for each route. */
async function* formBody(text: Buffer, form: ReceivedForm): AsyncGenerator<Uint8Array, void> {
  yield text;
  yield* form.bytes();
}

async function canonicalBody(request: GatewayRequest, body: ClientBody, share: Reservation): Promise<Buffer> {
  const { turn } = body;
  const canonical = await canonicalRequest(request, body);
  await turn();
  const pieces =
    sizeOf(body) > jsonStep ? await writeInSteps(canonical, turn) : [Buffer.from(JSON.stringify(canonical))];
  await turn();
  share.take(pieces.reduce((sum, { length }) => sum + length, 0));
  const [only] = pieces;
  return pieces.length === 1 ? (only as Buffer) : Buffer.concat(pieces);
}

function sizeOf(body: ClientBody): number {
  return body.type === 'text' ? body.text.length : body.form.files.reduce((sum, file) => sum + file.size, 0);
}

/** Returns the canonical request. Exact members of a large body are parsed again in steps. @throws GatewayError */
export function canonicalRequest(request: ParsedCount, body: ClientBody): Promise<GenerateRequest>;
export function canonicalRequest(request: GatewayRequest, body: ClientBody): Promise<OperationRequest>;
export async function canonicalRequest(request: GatewayRequest, body: ClientBody): Promise<OperationRequest> {
  switch (request.type) {
    case 'generate':
    case 'count-tokens': {
      const { exact = [] } = request;
      const inSteps = exact.length > 0 && body.type === 'text' && body.text.length > jsonStep;
      return request.canonical(
        inSteps ? await exactMembersInSteps(body.text.toString('utf8'), exact, body.turn) : undefined,
      );
    }
    default:
      return request.canonical();
  }
}
