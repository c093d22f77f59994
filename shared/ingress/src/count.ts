import {
  exactMembersInSteps,
  jsonStep,
  type OperationRequest,
  type Turn,
  type WireFormat,
} from '@model-gateway/canonical';
import type { AnswerRenderer, CountRequest, ParsedOperation, ParsedRequest } from './endpoint.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** Returns the canonical request. Exact members of a large body are parsed again in steps. @throws GatewayError */
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

/** The formats with an API that counts the tokens of a request. */
const counting: ReadonlySet<WireFormat | null | undefined> = new Set([
  'messages',
  'generate-content',
  'responses',
]);

/** True if an upstream of this format can count tokens. */
export function counts(format: WireFormat | null | undefined): boolean {
  return counting.has(format);
}

/** Returns a renderer for the count of an upstream of another format, which is the usage's `input`. */
export function countRenderer({ renderCount }: CountRequest): AnswerRenderer {
  return {
    whole: ({ finish }) => renderCount(finish.usage?.input ?? 0),
    stream: () => ({ add: () => '' }),
  };
}

/** Renders the gateway's own estimate of a count. @throws GatewayError if the request is invalid */
export async function estimate(count: CountRequest, body: Buffer, turn: Turn): Promise<Buffer> {
  const { messages, tools = [] } = await canonicalRequest(count, body, turn);
  return Buffer.from(JSON.stringify(count.renderCount(await estimateTokens(messages, tools))));
}
