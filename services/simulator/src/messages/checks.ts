import type { IncomingHttpHeaders } from 'node:http';
import { sealed, unsealed } from '../responder/seal.ts';
import type { Block, CountRequest, Message, ToolResultBlock, ToolUse } from './request.ts';
import { badRequest } from './validation-error.ts';

const withoutSampling = '2026-10-21';

/** The date in `anthropic-version`. @throws ApiError if it is missing or not a date */
export function readVersion(headers: IncomingHttpHeaders): string {
  const { 'anthropic-version': version } = headers;
  if (typeof version !== 'string') throw badRequest('anthropic-version: header is required');
  if (!/^\d{4}-\d\d-\d\d$/.test(version))
    throw badRequest(`anthropic-version: "${version}" is not a valid version`);
  return version;
}

/** Rejects fields that versions from 2026-10-21 on do not accept. @throws ApiError */
export function checkVersion(version: string, request: CountRequest): void {
  if (version < withoutSampling) return;
  for (const field of ['temperature', 'top_p', 'top_k'] as const)
    if (request[field] !== undefined) throw badRequest(`${field}: Extra inputs are not permitted`);
}

/** Rejects empty text. @throws ApiError */
export function checkText({ system, messages }: CountRequest): void {
  if (system?.some(({ text }) => text === ''))
    throw badRequest('system: text content blocks must be non-empty');
  for (const [at, message] of messages.entries()) checkMessage(message, at, at === messages.length - 1);
}

function checkMessage({ role, content }: Message, at: number, last: boolean): void {
  const texts = content.flatMap(block => (block.type === 'text' ? [block.text] : []));
  if (texts.includes('')) throw badRequest('messages: text content blocks must be non-empty');
  if (role === 'assistant') {
    if (last && /\s$/.test(texts.at(-1) ?? ''))
      throw badRequest('messages: final assistant content cannot end with trailing whitespace');
    return;
  }
  if (content.length === 0) throw badRequest(`messages.${at}: ${role} messages must have non-empty content`);
  if (texts.length === content.length && !texts.some(text => /\S/.test(text)))
    throw badRequest('messages: text content blocks must contain non-whitespace text');
}

/** Consecutive messages of one role are one turn. */
interface Turn {
  role: Message['role'];
  content: Block[];
  /** The index of its first message. */
  at: number;
}

export function readTurns(messages: Message[]): Turn[] {
  const turns: Turn[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content: [...content], at });
  }
  return turns;
}

/** Checks the order of turns and the results of tool calls. @throws ApiError */
export function checkTurns(turns: Turn[]): void {
  if (turns[0]?.role !== 'user') throw badRequest('messages: first message must use the "user" role');
  for (const [at, turn] of turns.entries())
    if (turn.role === 'system') checkSystem(turn, turns[at - 1], turns[at + 1]);
  const spoken = turns.filter(({ role }) => role !== 'system');
  for (const [at, turn] of spoken.entries()) checkResults(turn, spoken[at - 1]);
  const last = spoken.at(-1);
  if (last && usesOf(last).length > 0) throw unanswered(last, usesOf(last));
}

function checkSystem({ content, at }: Turn, before: Turn | undefined, after: Turn | undefined): void {
  const where = `messages.${at}`;
  if (content.some(({ type }) => type !== 'text'))
    throw badRequest(`${where}: system messages take text only`);
  if (before?.role === 'assistant' && before.content.at(-1)?.type !== 'server_tool_use')
    throw badRequest(`${where}: role 'system' must follow a user message`);
  if (after && after.role !== 'assistant')
    throw badRequest(`${where}: role 'system' must be last or be followed by an assistant message`);
}

function checkResults(turn: Turn, before: Turn | undefined): void {
  const uses = before ? usesOf(before) : [];
  const first = turn.content.findIndex(({ type }) => type !== 'tool_result');
  const leading = first < 0 ? turn.content : turn.content.slice(0, first);
  const answered = leading.flatMap(block => (isResult(block) ? [block.tool_use_id] : []));
  const open = uses.filter(({ id }) => !answered.includes(id));
  if (before && open.length > 0) throw unanswered(before, open);
  for (const [place, block] of turn.content.entries())
    if (isResult(block) && !uses.some(({ id }) => id === block.tool_use_id))
      throw badRequest(
        `messages.${turn.at}.content.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}.`,
      );
  const ids = usesOf(turn).map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw badRequest('messages: `tool_use` ids must be unique');
  if (new Set(answered).size < answered.length)
    throw badRequest(`messages.${turn.at}: each \`tool_use\` must have a single result`);
}

function unanswered({ at }: Turn, uses: ToolUse[]) {
  const ids = uses.map(({ id }) => id).join(', ');
  const found = '`tool_use` ids were found without `tool_result` blocks immediately after';
  return badRequest(`messages.${at + 1}: ${found}: ${ids}.`);
}

function usesOf({ role, content }: Turn): ToolUse[] {
  return role === 'assistant' ? content.filter(block => block.type === 'tool_use') : [];
}

function isResult(block: Block): block is ToolResultBlock {
  return block.type === 'tool_result';
}

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
