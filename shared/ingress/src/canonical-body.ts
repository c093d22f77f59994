import type { GenerateRequest, OperationRequest } from '@model-gateway/canonical';
import { exactMembersInSteps, jsonStep, writeInSteps } from '@model-gateway/json';
import type { Reservation } from './budgets.ts';
import type { ClientBody, GatewayRequest, ParsedCount } from './gateway-request.ts';

/** Returns the canonical request as JSON, for which it reserves memory in `share`. @throws GatewayError */
export async function canonicalBody(
  request: GatewayRequest,
  body: ClientBody,
  share: Pick<Reservation, 'take'>,
): Promise<Buffer> {
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
