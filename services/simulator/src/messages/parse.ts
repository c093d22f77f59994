import type { IncomingHttpHeaders } from 'node:http';
import { messages as endpoint } from '@model-gateway/formats/messages';
import type { ParsedRequest } from '../common/format.ts';
import { type CachePoint, lastUserText } from '../responder/prompt.ts';
import { contextOf, readPrompt } from '../responder/read-prompt.ts';
import {
  checkText,
  checkThinking,
  checkThinkingBlocks,
  checkTurns,
  checkVersion,
  readTurns,
  readVersion,
  signedBy,
} from './checks.ts';
import { type CountRequest, countRequest, type Message, messagesRequest } from './request.ts';
import { badRequest, validated } from './validation-error.ts';

export interface ParsedMessages extends ParsedRequest {
  /** `omitted` has only the signature, `redacted` is a block that only Anthropic can read. */
  thinking: 'full' | 'omitted' | 'redacted';
  searches: boolean;
}

/** @throws ApiError as the vendor would */
export function parse(body: unknown, headers: IncomingHttpHeaders): ParsedMessages {
  return read(readVersion(headers), validated(messagesRequest, body));
}

/** Parses a request to count tokens. @throws ApiError as the vendor would */
export function parseCount(body: unknown, headers: IncomingHttpHeaders): ParsedMessages {
  return read(readVersion(headers), validated(countRequest, body));
}

function read(version: string, request: CountRequest): ParsedMessages {
  checkVersion(version, request);
  checkText(request);
  checkThinking(request);
  const turns = readTurns(request.messages);
  checkTurns(turns);
  checkThinkingBlocks(turns, request);
  checkTools(request);
  const { max_tokens = 1, cache_control } = request;
  const messages = request.messages.map(opened);
  const last = (messages.at(-1)?.content.at(-1) ?? {}) as { cache_control?: unknown };
  if (cache_control) last.cache_control ??= cache_control;
  const {
    prompt,
    searches,
    request: canonical,
    parsed,
  } = readPrompt(endpoint, {
    ...request,
    max_tokens,
    messages,
  });
  const { thinking } = request;
  const thinks = thinking !== undefined && thinking.type !== 'disabled';
  return {
    prompt: {
      ...prompt,
      maxTokens: request.max_tokens ?? null,
      effort: thinks ? (prompt.effort ?? 'high') : null,
      cachePoints: checkedPoints(contextOf(canonical).cachePoints),
    },
    stream: parsed.stream,
    thinking: /\bredact\b/i.test(lastUserText(prompt))
      ? 'redacted'
      : parsed.rendering.hideThinking
        ? 'omitted'
        : 'full',
    searches,
  };
}

/** Returns a message with the whole of its thinking, which clients may leave out beside the signature. */
function opened({ role, content }: Message): Message {
  return {
    role,
    content: content.map(block => {
      if (block.type !== 'thinking' && block.type !== 'redacted_thinking') return block;
      const signature = block.type === 'thinking' ? block.signature : block.data;
      return { type: 'thinking', thinking: signedBy(signature) ?? '', signature };
    }),
  };
}

/** @throws ApiError for tools of one name, and for a choice that fits none of them */
function checkTools({ tools = [], tool_choice: choice }: CountRequest): void {
  const names = tools.map(({ name }) => name).filter(name => name !== undefined);
  if (new Set(names).size < names.length) throw badRequest('tools: Tool names must be unique.');
  if (choice && tools.length === 0 && choice.type !== 'none')
    throw badRequest('tool_choice: tool_choice may only be specified while providing tools.');
  if (choice?.type === 'tool' && !names.includes(choice.name))
    throw badRequest(`Tool '${choice.name}' not found in provided tools`);
}

const maxBreakpoints = 4;

/** @throws ApiError for too many breakpoints, or an hour's after those of five minutes */
function checkedPoints(points: CachePoint[]): CachePoint[] {
  const ttls = points.map(({ ttl }) => ttl);
  if (ttls.length > maxBreakpoints)
    throw badRequest(
      `A maximum of ${maxBreakpoints} blocks with cache_control may be provided. Found ${ttls.length}.`,
    );
  if (ttls.includes('5m') && ttls.lastIndexOf('1h') > ttls.indexOf('5m'))
    throw badRequest("cache_control: a ttl='1h' block must not come after a ttl='5m' block");
  return points;
}
