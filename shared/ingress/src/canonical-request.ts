import { exactMembersInSteps, jsonStep, type OperationRequest, type Turn } from '@model-gateway/canonical';
import type { CountRequest, ParsedOperation, ParsedRequest } from './endpoint.ts';

/** The request in no format; what is read again of a large body for it is read in steps. @throws GatewayError */
export async function canonicalRequest<P extends ParsedRequest | ParsedOperation | CountRequest>(
  parsed: P,
  body: Buffer,
  turn: Turn,
): Promise<Awaited<ReturnType<P['canonical']>> & OperationRequest> {
  const keys = ('exact' in parsed && parsed.exact) || [];
  const exact =
    keys.length > 0 && body.length > jsonStep
      ? await exactMembersInSteps(body.toString('utf8'), keys, turn)
      : undefined;
  return (await parsed.canonical(exact)) as Awaited<ReturnType<P['canonical']>> & OperationRequest;
}
