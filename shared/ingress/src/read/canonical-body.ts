import { GatewayError, type GenerateRequest, type OperationRequest } from '@model-gateway/canonical';
import type { GatewayRequest, ParsedCount } from '@model-gateway/formats/client';
import { exactMembersInSteps, JsonTooLargeError, jsonStep, writeInSteps } from '@model-gateway/json';
import type { Admitted } from '../admit/admit.ts';
import type { ResponseSink } from '../answer/response-sink.ts';
import type { ClientBody } from '../form/received.ts';
import { megabytes } from '../memory/budgets.ts';

/** Body size up to which its canonical form is written at once, in bytes. */
const smallBody = 64 * 1024;
/**
 * The most bytes of a canonical request beyond those of two bodies: each of the JSON values that a request may hold has
 * longer names there than in some formats.
 */
export const namesBytes = 32 * 1024 * 1024;

/** The memory that a request reserves while it is translated, until it ends. */
export class Translating {
  readonly #admitted: Pick<Admitted, 'over' | 'refusal' | 'share'>;
  readonly #sink: Pick<ResponseSink, 'destroyed'>;

  constructor(admitted: Pick<Admitted, 'over' | 'refusal' | 'share'>, sink: Pick<ResponseSink, 'destroyed'>) {
    this.#admitted = admitted;
    this.#sink = sink;
  }

  /** Reserves memory, unless the request has ended: nobody would release it. @throws GatewayError */
  take(bytes: number): void {
    this.throwIfAborted();
    this.#admitted.share.take(bytes);
  }

  /** @throws GatewayError once the request has ended */
  throwIfAborted(): void {
    const { over, refusal } = this.#admitted;
    if (refusal) throw refusal;
    if (over || this.#sink.destroyed) throw new GatewayError('cancelled', 'The request has ended.');
  }
}

/**
 * Returns the canonical request as JSON. Memory is reserved before it is written.
 * @throws GatewayError of kind `too-large` if it is much longer than the body, and what `translating` throws
 */
export async function canonicalBody(
  request: GatewayRequest,
  body: ClientBody,
  translating: Translating,
): Promise<Buffer> {
  const { turn } = body;
  await turn();
  const canonical = await canonicalRequest(request, body);
  await turn();
  const size = sizeOf(body);
  if (size <= smallBody) {
    const written = Buffer.from(JSON.stringify(canonical));
    translating.take(written.length);
    return written;
  }
  const limit = 2 * size + namesBytes;
  const take = (bytes: number) => translating.take(bytes);
  const pieces = await inLimit(writeInSteps(canonical, turn, { limit, take, signal: translating }));
  await turn();
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}

/** Refuses what is larger than its limit. @throws GatewayError of kind `too-large` */
async function inLimit(written: Promise<Buffer[]>): Promise<Buffer[]> {
  try {
    return await written;
  } catch (thrown) {
    throw thrown instanceof JsonTooLargeError ? tooLargeTranslated(thrown.limit) : thrown;
  }
}

export function tooLargeTranslated(limit: number): GatewayError {
  const message = `The request is larger than ${megabytes(limit)} when it is translated for the model. Send a smaller one.`;
  return new GatewayError('too-large', message);
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
