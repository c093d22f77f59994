import type { IncomingHttpHeaders } from 'node:http';
import {
  type AssistantPart,
  GatewayError,
  type GenerateRequest,
  type Message,
  type ReasoningPart,
  type Signature,
} from '@model-gateway/canonical';
import { exactMembers, isJsonObject } from '@model-gateway/json';
import { translatedFields } from '../client/endpoint.ts';
import { mostTokens, type ParsedCount, type ParsedGenerate, readPlain } from '../client/parsed-request.ts';
import { unsupportedThread } from '../client/render-errors.ts';
import { readValue } from '../values/value-table.ts';
import { messagesFields, messagesTiers } from './fields.ts';
import { check, type Path } from './invalid.ts';
import { assistantParts, textParts, toolResult, userParts } from './parse-content.ts';
import {
  forwardedHeaders,
  isOwnThinking,
  output,
  parseExtras,
  reasoning,
  toolSettings,
} from './parse-settings.ts';
import type { MessagesAnswerOptions } from './render.ts';
import {
  type MessagesCountRequest,
  type MessagesMessage,
  type MessagesRequest,
  messagesCountRequest,
  messagesRequest,
} from './request.ts';
import { isForeignHistory } from './sanitize-history.ts';

/** Members whose numbers keep the client's spelling and precision. */
const exact = ['messages', 'tools', 'output_config', 'output_format'];

/** Parses a request. `text` is the JSON text of `body`. @throws GatewayError of kind `invalid-request` */
export function parse(
  body: Record<string, unknown>,
  headers: IncomingHttpHeaders,
  text?: Buffer,
): ParsedGenerate<MessagesAnswerOptions> {
  const data = check(messagesRequest, body);
  refuseThread(data);
  return {
    type: 'generate',
    model: data.model,
    stream: data.stream === true,
    maxTokens: mostTokens(data.max_tokens),
    ...parseExtras(data),
    headers: forwardedHeaders(headers),
    foreign: isForeignHistory(data),
    ...(text && { exact }),
    firstTurn: () => data.messages.find(({ role }) => role === 'user')?.content,
    canonical: (members = text && exactMembers(text.toString(), exact)) => canonical({ ...data, ...members }),
    rendering: { model: data.model, hideThinking: data.thinking?.display === 'omitted' },
  };
}

/**
 * Parses the canonical request.
 * @throws GatewayError of kind `invalid-request` for a malformed block or setting
 */
export function canonical(body: MessagesRequest): GenerateRequest {
  return {
    ...conversation(body),
    ...toolSettings(body),
    ...readPlain(messagesFields, body),
    reasoning: reasoning(body),
    output: output(body),
    user: body.metadata?.user_id ?? undefined,
    serviceTier: readValue(messagesTiers, body.service_tier) ?? body.service_tier ?? undefined,
    extensions: extensions(body),
    vendorFields: vendorFields(body),
  };
}

/** Fields for features that only the vendor of this format has. */
const vendorOnly = ['mcp_servers', 'container', 'thinking', 'compaction', 'context_management'] as const;

/** Returns the names of the vendor's fields that request something. */
function vendorFields(body: MessagesRequest): GenerateRequest['vendorFields'] {
  const names = vendorOnly.filter(name => {
    if (name === 'thinking') return isOwnThinking(body.thinking);
    const value = body[name];
    if (name === 'context_management') return value && compacts(value);
    return value && !(Array.isArray(value) && value.length === 0);
  });
  return names.length > 0 ? { format: 'messages', names } : undefined;
}

/** True if the vendor may replace the beginning of the conversation by a summary. Edits that only clear old content are hints. */
function compacts(management: unknown): boolean {
  const { edits } = isJsonObject(management) ? management : {};
  return (
    Array.isArray(edits) && edits.some(edit => isJsonObject(edit) && String(edit.type).startsWith('compact'))
  );
}

/** Fields that other formats have, too. `output_format` is the older name of a member of `output_config`. */
const translated = translatedFields(messagesFields, 'model', 'stream', 'output_format');

function extensions(body: MessagesRequest): GenerateRequest['extensions'] {
  const entries = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    if (value === null || value === undefined) return [];
    if (name === 'thinking') return isOwnThinking(body.thinking) ? [[name, value]] : [];
    const members = translated.get(name);
    if (!members) return [[name, value]];
    const rest = members.size > 0 ? Object.entries(value).filter(([key]) => !members.has(key)) : [];
    return rest.length > 0 ? [[name, Object.fromEntries(rest)]] : [];
  });
  return entries.length > 0 ? { messages: Object.fromEntries(entries) } : undefined;
}

/** @throws GatewayError of kind `invalid-request` */
export function parseCount(body: Record<string, unknown>, headers: IncomingHttpHeaders): ParsedCount {
  const data = check(messagesCountRequest, body);
  refuseThread(data);
  return {
    type: 'count-tokens',
    model: data.model,
    headers: forwardedHeaders(headers),
    foreign: isForeignHistory(data),
    canonical: () => ({ ...conversation(data), ...toolSettings(data) }),
    rendering: undefined,
  };
}

/**
 * @throws GatewayError for a continued thread: it holds only the new messages, so the conversation would be
 * lost
 */
function refuseThread({ thread }: Record<string, unknown>): void {
  if (thread === undefined || thread === null) return;
  throw new GatewayError(
    'invalid-request',
    'thread: threads are not supported; send the whole conversation in messages',
    { param: 'thread', code: unsupportedThread },
  );
}

/** Parses a conversation. Instructions come first; instructions among the messages keep their position. */
function conversation({ system, messages }: MessagesCountRequest): Conversation {
  const leading = system?.length ? textParts(system, ['system']) : [];
  return {
    messages: [
      ...(leading.length > 0 ? [{ role: 'system' as const, content: leading }] : []),
      ...messages.flatMap((message, i) => turns(message, ['messages', i, 'content'])),
    ],
    userFirst: true,
    signaturesBefore: true,
    ...(messages.at(-1)?.role === 'assistant' && { continuesLastTurn: true }),
  };
}

type Conversation = Pick<
  GenerateRequest,
  'messages' | 'userFirst' | 'signaturesBefore' | 'continuesLastTurn'
>;

function turns({ role, content }: MessagesMessage, path: Path): Message[] {
  if (role === 'system') return [{ role, content: textParts(content, path) }];
  if (typeof content === 'string') return [{ role, content: [{ type: 'text', text: content }] }];
  if (role === 'user') return userTurns(content, path);
  const parts = content.flatMap((block, i) => assistantParts(block, [...path, i]));
  return [{ role, content: withSignedCalls(parts) }];
}

/** Moves the signature of empty thinking to the call after it, for vendors that sign calls. */
function withSignedCalls(parts: AssistantPart[]): AssistantPart[] {
  return parts.flatMap((part, i) => {
    if (carriesSignature(part) && parts[i + 1]?.type === 'tool-call') return [];
    const before = parts[i - 1];
    if (part.type !== 'tool-call' || !before || !carriesSignature(before)) return [part];
    return [{ ...part, signature: before.signature }];
  });
}

function carriesSignature(part: AssistantPart): part is ReasoningPart & { signature: Signature } {
  return part.type === 'reasoning' && part.text === '' && part.signature?.format === 'generate-content';
}

/** Parses a user turn. Tool results become a message before the other parts. */
function userTurns(content: Exclude<MessagesMessage['content'], string>, path: Path): Message[] {
  const at = content.map((block, i) => ({ block, path: [...path, i] }));
  const isResult = ({ block }: (typeof at)[number]) => block.type === 'tool_result';
  const results = at.filter(isResult).map(({ block, path }) => toolResult(block, path));
  const other = at.filter(item => !isResult(item)).flatMap(({ block, path }) => userParts(block, path));
  if (results.length === 0) return [{ role: 'user', content: other }];
  return [
    { role: 'tool', content: results },
    ...(other.length > 0 ? [{ role: 'user' as const, content: other }] : []),
  ];
}
