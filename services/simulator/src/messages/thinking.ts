import { hash } from 'node:crypto';
import type { Effort } from '../responder/prompt.ts';
import { isResult, type Turn, usesOf } from './checks.ts';
import type { CountRequest } from './request.ts';
import { badRequest } from './validation-error.ts';

/** The effort of reasoning; null turns it off. */
export function readEffort({ thinking, output_config: output }: CountRequest): Effort | null {
  if (!thinking || thinking.type === 'disabled') return null;
  if (output?.effort) return output.effort;
  if (thinking.type !== 'enabled') return 'high';
  if (thinking.budget_tokens < 4_096) return 'low';
  return thinking.budget_tokens < 16_384 ? 'medium' : 'high';
}

/** `omitted` shows only the signature, `redacted` a block that only the vendor can read. */
export type ThinkingDisplay = 'shown' | 'omitted' | 'redacted';

/** Thinking is redacted if the user says `redact`. */
export function readDisplay({ thinking }: CountRequest, question: string): ThinkingDisplay {
  if (/\bredact\b/i.test(question.slice(0, 4_000))) return 'redacted';
  return thinking && 'display' in thinking && thinking.display === 'omitted' ? 'omitted' : 'shown';
}

/** @throws ApiError for settings that exclude a thinking budget */
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

/** Checks that thinking is unchanged, and with a budget comes before tool use. @throws ApiError */
export function checkThoughts(turns: Turn[], { thinking }: CountRequest): void {
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
  const thought = signedBy(block.signature);
  if (thought === null) throw badRequest(`${where}: Invalid \`signature\` in \`thinking\` block`);
  if (block.thinking !== '' && block.thinking !== thought)
    throw badRequest(
      `${where}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
    );
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

const kind = Buffer.from('EqQB', 'base64');
const sealLength = 16;

/** The signature of thinking. Like the vendor's it contains the thinking, which clients may then leave out. */
export function sign(thinking: string): string {
  return Buffer.concat([kind, seal(thinking), Buffer.from(thinking)]).toString('base64');
}

/** The thinking that a signature was made for; null if it was not made here. */
export function signedBy(signature: string): string | null {
  const bytes = Buffer.from(signature, 'base64');
  const thinking = bytes.subarray(kind.length + sealLength).toString();
  return sign(thinking) === signature ? thinking : null;
}

function seal(thinking: string): Buffer {
  return hash('sha256', `the simulator thought: ${thinking}`, 'buffer').subarray(0, sealLength);
}
