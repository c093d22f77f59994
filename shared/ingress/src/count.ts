import type { Turn, WireFormat } from '@model-gateway/canonical';
import { canonicalRequest } from './canonical-request.ts';
import type { AnswerRenderer, CountRequest } from './endpoint.ts';
import { estimateTokens } from './estimate-tokens.ts';

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
