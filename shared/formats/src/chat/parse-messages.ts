import {
  type AssistantPart,
  type CacheHint,
  GatewayError,
  type MediaPart,
  type Message,
  type ReasoningPart,
  type Signature,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
} from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { callArguments } from '../client/client-tools.ts';
import { parseFileData, parseInputAudio, parseMediaUrl } from '../client/parse-openai-media.ts';
import { readSignature, readSignedId } from '../values/signatures.ts';
import {
  type ChatReasoningDetail,
  isEncryptedReasoning,
  readReasoningDetails,
  reasoningSignature,
  reasoningText,
} from './reasoning.ts';
import type {
  CacheBreakpoints,
  ChatAssistantTurn,
  ChatTextPart,
  ChatThinkingBlock,
  ChatToolCall,
  ChatTurn,
  ChatUserPart,
} from './request.ts';

/**
 * Parses a conversation in order. Consecutive tool results become one message.
 * @throws GatewayError of kind `invalid-request` for a call without a result, or a result without a call
 */
export function parseMessages(turns: readonly ChatTurn[]): Message[] {
  const messages: Message[] = [];
  const open = new OpenCalls();
  for (const [i, turn] of turns.entries()) {
    const path = `messages[${i}]`;
    if (turn.role === 'tool' || turn.role === 'function') addResult(messages, parseResult(turn, path, open));
    else {
      open.end();
      messages.push(parseTurn(turn, path, open));
    }
  }
  open.end();
  return messages;
}

type NonResultTurn = Exclude<ChatTurn, { role: 'tool' | 'function' }>;

function parseTurn(turn: NonResultTurn, path: string, open: OpenCalls): Message {
  switch (turn.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: cacheLast(turn.content.map(parseText), turn) };
    case 'user':
      return { role: 'user', content: cacheLast(parseContent(turn.content, `${path}.content`), turn) };
    case 'assistant': {
      const content = parseAssistant(turn, path);
      for (const part of content) if (part.type === 'tool-call') open.add(part, path);
      return { role: 'assistant', content };
    }
  }
}

function parseResult(
  turn: Extract<ChatTurn, { role: 'tool' | 'function' }>,
  path: string,
  open: OpenCalls,
): ToolResultPart {
  if (turn.role === 'function') {
    const callId = open.answerName(turn.name, `${path}.name`);
    return { type: 'tool-result', callId, content: [{ type: 'text', text: turn.content ?? '' }] };
  }
  const callId = open.answer(readSignedId(turn.tool_call_id).id, `${path}.tool_call_id`);
  const content = parseContent(turn.content ?? [], `${path}.content`);
  return { type: 'tool-result', callId, content, ...omitNullish({ cache: parseCache(turn) }) };
}

function addResult(messages: Message[], result: ToolResultPart): void {
  const last = messages.at(-1);
  if (last?.role === 'tool') last.content.push(result);
  else messages.push({ role: 'tool', content: [result] });
}

/** The calls of the last assistant message that need results. Upstreams give several calls of a turn one id. */
export class OpenCalls {
  readonly #names = new Map<string, string>();
  /** The number of calls of each id that need a result, and the ids of which none has one. */
  readonly #needed = new Map<string, number>();
  readonly #unanswered = new Set<string>();
  /** The ids by name, the first one last; undefined until a result names a function. */
  #idsByName: Map<string, string[]> | undefined;
  #path = '';

  /** Adds a call. `path` is the position of its message. */
  add({ id, name }: ToolCallPart, path: string): void {
    this.#names.set(id, name);
    this.#needed.set(id, (this.#needed.get(id) ?? 0) + 1);
    this.#unanswered.add(id);
    this.#idsByName = undefined;
    this.#path = path;
  }

  /**
   * Answers a call and returns its id.
   * @throws GatewayError for the field `param` if no open call has the id
   */
  answer(id: string, param: string): string {
    const needed = this.#needed.get(id);
    if (needed) {
      this.#needed.set(id, needed - 1);
      this.#unanswered.delete(id);
      return id;
    }
    const message = `Invalid '${param}': there is no preceding tool call with the id '${id}' that still needs a result.`;
    throw new GatewayError('invalid-request', message, { param, code: 'invalid_value' });
  }

  /**
   * Answers a legacy call by its function's name and returns its id.
   * @throws GatewayError as {@link answer} does
   */
  answerName(name: string, param: string): string {
    this.#idsByName ??= Map.groupBy([...this.#names.keys()].reverse(), id => this.#names.get(id) ?? '');
    const ids = this.#idsByName.get(name) ?? [];
    let id = ids.pop();
    while (id !== undefined && !this.#needed.get(id)) id = ids.pop();
    if (id !== undefined) return this.answer(id, param);
    const message = `Invalid '${param}': there is no preceding function call '${name}' that still needs a result.`;
    throw new GatewayError('invalid-request', message, { param, code: 'invalid_value' });
  }

  /** Ends the turn. @throws GatewayError with the ids of the calls without a result, if there are any */
  end(): void {
    const ids = [...this.#unanswered].join(', ');
    this.#names.clear();
    this.#needed.clear();
    this.#unanswered.clear();
    if (ids === '') return;
    const message = `An assistant message with tool calls must be followed by a tool message for each of them. Calls without a result: ${ids}.`;
    throw new GatewayError('invalid-request', message, { param: this.#path, code: 'invalid_value' });
  }
}

/** Parses an assistant message. The parts are in the order reasoning, text, tool calls. */
function parseAssistant(turn: ChatAssistantTurn, path: string): AssistantPart[] {
  // The audio is stored at OpenAI, under an id that other vendors cannot resolve.
  if (turn.audio)
    throw new GatewayError(
      'invalid-request',
      `Unsupported parameter: '${path}.audio' refers to audio that this model's provider does not have.`,
      { param: `${path}.audio`, code: 'unsupported_parameter' },
    );
  const parts = [...parseReasoning(turn), ...parseTextAndRefusal(turn), ...parseCalls(turn, path)];
  const cache = parseCache(turn);
  const last = parts.at(-1);
  if (cache && (last?.type === 'text' || last?.type === 'tool-call')) last.cache ??= cache;
  return parts;
}

/** Parses the reasoning blocks or details with their signatures or, if there are none, the plain text. */
function parseReasoning(turn: ChatAssistantTurn): ReasoningPart[] {
  if (turn.thinking_blocks?.length) return turn.thinking_blocks.map(parseBlock);
  const details = readReasoningDetails(turn.reasoning_details);
  if (details.length > 0) return details.map(parseDetail);
  const text = turn.reasoning_content ?? turn.reasoning;
  return text ? [{ type: 'reasoning', text }] : [];
}

function parseDetail(detail: ChatReasoningDetail): ReasoningPart {
  const signature = reasoningSignature(detail);
  if (isEncryptedReasoning(detail)) return { type: 'reasoning', text: '', redacted: true, signature };
  return { type: 'reasoning', text: reasoningText(detail), signature };
}

function parseBlock(block: ChatThinkingBlock): ReasoningPart {
  if (block.type === 'redacted_thinking')
    return {
      type: 'reasoning',
      text: '',
      redacted: true,
      ...omitNullish({ signature: signatureOf(block.data) }),
    };
  const signature = signatureOf(block.signature);
  return { type: 'reasoning', text: block.thinking ?? '', ...omitNullish({ signature }) };
}

/** Reads a signature. Thinking blocks come from Anthropic's API: a signature without a tag is Anthropic's. */
function signatureOf(text: string | null | undefined): Signature | undefined {
  return readSignature(text, 'messages');
}

/**
 * Parses text and refusal. Drops the empty texts that clients send beside calls: some vendors reject them.
 */
function parseTextAndRefusal({ content, refusal }: ChatAssistantTurn): AssistantPart[] {
  const parts = (content ?? []).map(
    (part): AssistantPart =>
      part.type === 'text' ? parseText(part) : { type: 'refusal', text: part.refusal },
  );
  if (refusal) parts.push({ type: 'refusal', text: refusal });
  return parts.filter(part => !('text' in part) || part.text !== '');
}

/** Parses the tool calls of an assistant message, the legacy `function_call` included. */
function parseCalls({ tool_calls, function_call }: ChatAssistantTurn, path: string): ToolCallPart[] {
  const calls = (tool_calls ?? []).map((call, i) => parseCall(call, `${path}.tool_calls[${i}]`));
  if (!function_call) return calls;
  const args = callArguments(function_call.arguments, `${path}.function_call.arguments`);
  return [...calls, { type: 'tool-call', id: legacyId(path), name: function_call.name, arguments: args }];
}

/** Returns an id for a legacy call, which has none. It is derived from the call's position in the history. */
function legacyId(path: string): string {
  return `call_${path.replace(/\W/g, '')}`;
}

/** Parses a tool call; its signature may be in a field of its own or in its id. */
function parseCall(call: ChatToolCall, path: string): ToolCallPart {
  const { id, signature: embedded } = readSignedId(call.id);
  if (call.type === 'custom') {
    const { name, input } = call.custom;
    return { type: 'tool-call', id, name, arguments: input ?? '', custom: true };
  }
  const { extra_content: google, provider_specific_fields: litellm, function: fn } = call;
  const value = google?.google?.thought_signature ?? litellm?.thought_signature ?? embedded;
  const signature: Signature | undefined = value ? { format: 'generate-content', value } : undefined;
  const args = callArguments(fn.arguments, `${path}.function.arguments`);
  return { type: 'tool-call', id, name: fn.name, arguments: args, ...omitNullish({ signature }) };
}

/** Parses text, images, audio and files. `path` is the content's position, for errors. */
export function parseContent(parts: readonly ChatUserPart[], path: string): (TextPart | MediaPart)[] {
  return parts.map((part, i) => parsePart(part, `${path}[${i}]`));
}

function parsePart(part: ChatUserPart, path: string): TextPart | MediaPart {
  switch (part.type) {
    case 'text':
      return parseText(part);
    case 'image_url':
      return parseImage(part, `${path}.image_url.url`);
    case 'input_audio':
      return parseAudio(part);
    case 'file':
      return parseFile(part, `${path}.file`);
  }
}

function parseText(part: ChatTextPart): TextPart {
  return { type: 'text', text: part.text, ...omitNullish({ cache: parseCache(part) }) };
}

/** Parses a cache breakpoint. Times to live that only one vendor has are dropped. */
export function parseCache({
  cache_control,
  prompt_cache_breakpoint,
}: CacheBreakpoints): CacheHint | undefined {
  if (cache_control) return omitNullish({ ttl: cache_control.ttl });
  return prompt_cache_breakpoint ? {} : undefined;
}

/** Moves a cache breakpoint on a message to its last part. */
function cacheLast<T extends { cache?: CacheHint }>(parts: T[], message: CacheBreakpoints): T[] {
  const cache = parseCache(message);
  const last = parts.at(-1);
  return cache && last && !last.cache ? [...parts.slice(0, -1), { ...last, cache }] : parts;
}

function parseImage(part: Extract<ChatUserPart, { type: 'image_url' }>, param: string): MediaPart {
  const { url } = part.image_url;
  const cache = omitNullish({ cache: parseCache(part) });
  return { type: 'media', kind: 'image', ...parseMediaUrl(url, param), ...cache };
}

function parseAudio(part: Extract<ChatUserPart, { type: 'input_audio' }>): MediaPart {
  return { ...parseInputAudio(part.input_audio), ...omitNullish({ cache: parseCache(part) }) };
}

function parseFile(part: Extract<ChatUserPart, { type: 'file' }>, param: string): MediaPart {
  const { file_id: id, file_data: data, filename } = part.file;
  const about = omitNullish({ name: filename, cache: parseCache(part) });
  if (id) return { type: 'media', kind: 'document', source: { type: 'file', id, format: 'chat' }, ...about };
  if (!data) throw invalid(`${param}.file_data`, 'a file needs file_data or a file_id');
  return { ...parseFileData(data, `${param}.file_data`), ...about };
}

function invalid(param: string, why: string): GatewayError {
  return new GatewayError('invalid-request', `Invalid '${param}': ${why}.`, { param, code: 'invalid_value' });
}
