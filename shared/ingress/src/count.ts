import {
  exactMembersInSteps,
  jsonStep,
  type OperationRequest,
  type Turn,
  type WireFormat,
} from '@model-gateway/canonical';
import type { AnswerRenderer, CountRequest, ParsedOperation, ParsedRequest } from './endpoint.ts';
import { estimateTokens } from './estimate-tokens.ts';

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

/** The formats whose vendors count the tokens of a request. */
const counting: ReadonlySet<WireFormat | null | undefined> = new Set([
  'messages',
  'generate-content',
  'responses',
]);

/** Whether an upstream of this format can be asked for a count. */
export function counts(format: WireFormat | null | undefined): boolean {
  return counting.has(format);
}

/** Writes the count of an upstream that speaks another format: it is the answer's input. */
export function countRenderer({ renderCount }: CountRequest): AnswerRenderer {
  return {
    whole: ({ finish }) => renderCount(finish.usage?.input ?? 0),
    stream: () => ({ add: () => '' }),
  };
}

/** The answer to a count that no upstream gives. @throws GatewayError for a request that is at fault */
export async function estimate(count: CountRequest, body: Buffer, turn: Turn): Promise<Buffer> {
  const { messages, tools = [] } = await canonicalRequest(count, body, turn);
  return Buffer.from(JSON.stringify(count.renderCount(await estimateTokens(messages, tools))));
}
