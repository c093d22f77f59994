import { sealed, unsealed } from '../responder/seal.ts';
import { isResult, type Turn, usesOf } from './checks.ts';
import type { CountRequest } from './request.ts';
import { badRequest } from './validation-error.ts';

/** @throws ApiError for settings that a thinking budget excludes */
export function checkThinking(request: CountRequest): void {
  const { thinking, tool_choice: choice } = request;
  if (thinking?.type !== 'enabled') return;
  if (request.max_tokens !== undefined && thinking.budget_tokens >= request.max_tokens)
    throw badRequest('`max_tokens` must be greater than `thinking.budget_tokens`.');
  if (request.temperature !== undefined && request.temperature !== 1)
    throw badRequest('`temperature` may only be set to 1 when thinking is enabled.');
  if (choice?.type === 'any' || choice?.type === 'tool')
    throw badRequest('Thinking may not be enabled when tool_choice forces tool use.');
}

/** Checks that thinking is unchanged and, if it has a budget, precedes tool use. @throws ApiError */
export function checkThinkingBlocks(turns: Turn[], { thinking }: CountRequest): void {
  for (const turn of turns)
    for (const [place, block] of turn.content.entries()) checkBlock(turn, place, block);
  if (thinking?.type === 'enabled') checkLast(turns.filter(({ role }) => role !== 'system'));
}

function checkBlock({ role, at }: Turn, place: number, block: Turn['content'][number]): void {
  const where = `messages.${at}.content.${place}`;
  if (block.type !== 'thinking' && block.type !== 'redacted_thinking') return;
  if (role !== 'assistant')
    throw badRequest(`${where}: \`${block.type}\` blocks may only be in assistant messages`);
  if (block.type === 'redacted_thinking') {
    if (signedBy(block.data) === null)
      throw badRequest(`${where}: Invalid \`data\` in \`redacted_thinking\` block`);
    return;
  }
  const original = signedBy(block.signature);
  if (original === null) throw badRequest(`${where}: Invalid \`signature\` in \`thinking\` block`);
  if (block.thinking !== '' && block.thinking !== original)
    throw badRequest(`${where}: \`thinking\` blocks in the latest assistant message cannot be modified.`);
}

function checkLast(turns: Turn[]): void {
  const before = turns.at(-2);
  const first = before?.content[0]?.type;
  if (!before || !turns.at(-1)?.content.some(isResult) || usesOf(before).length === 0) return;
  if (first === 'thinking' || first === 'redacted_thinking') return;
  throw badRequest(
    `messages.${before.at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}

const prefix = 'EqQB';

/** The signature of thinking. Like Anthropic's it contains the thinking, which clients may then leave out. */
export function sign(thinking: string): string {
  return sealed(prefix, thinking);
}

/** The thinking in a signature; null if the simulator did not make it. */
export function signedBy(signature: string): string | null {
  return unsealed(prefix, signature);
}
