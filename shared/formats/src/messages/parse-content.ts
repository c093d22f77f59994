import {
  type AssistantPart,
  type CacheHint,
  GatewayError,
  type MediaPart,
  type MediaSource,
  type OpaquePart,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type UserPart,
  valueAt,
} from '@model-gateway/canonical';
import type { z } from 'zod';
import { withoutLineEnds } from '../values/media.ts';
import { readSignature } from '../values/signatures.ts';
import {
  type MessagesAnyBlock,
  type MessagesImageSource,
  messagesDocumentBlock,
  messagesImageBlock,
  messagesRedactedBlock,
  messagesTextBlock,
  messagesThinkingBlock,
  messagesToolResultBlock,
  messagesToolUseBlock,
} from './request.ts';

export type Content = string | MessagesAnyBlock[];

/** Parses content that may contain only text. */
export function textParts(content: Content, path: Path): TextPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((block, i) => {
    if (block.type !== 'text') throw invalid([...path, i, 'type'], "Input should be 'text'");
    return textPart(block, [...path, i]);
  });
}

/** Parses a block of a user message. A block that only this format has becomes an opaque part. */
export function userParts(block: MessagesAnyBlock, path: Path): UserPart[] {
  switch (block.type) {
    case 'text':
      return [textPart(block, path)];
    case 'image':
      return [imagePart(block, path)];
    case 'document':
      return documentParts(block, path);
    case 'compaction':
      return compaction(block, path);
    default:
      return [opaquePart(block)];
  }
}

export function assistantParts(block: MessagesAnyBlock, path: Path): AssistantPart[] {
  switch (block.type) {
    case 'tool_use':
      return [toolCall(block, path)];
    case 'thinking':
      return [thinking(block, path)];
    case 'redacted_thinking':
      return [redacted(block, path)];
    default:
      return userParts(block, path);
  }
}

export function toolResult(block: MessagesAnyBlock, path: Path): ToolResultPart {
  const { tool_use_id, content, is_error, cache_control } = check(messagesToolResultBlock, block, path);
  return {
    type: 'tool-result',
    callId: tool_use_id,
    content: contentParts(content ?? '', [...path, 'content']),
    ...(is_error && { error: true }),
    ...cacheOf(cache_control),
  };
}

function contentParts(content: Content, path: Path): UserPart[] {
  if (content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.flatMap((block, i) => userParts(block, [...path, i]));
}

function textPart(block: MessagesAnyBlock, path: Path): TextPart {
  const { text, cache_control } = check(messagesTextBlock, block, path);
  return { type: 'text', text, ...cacheOf(cache_control) };
}

/** Parses the vendor's summary of the conversation before it. One without content failed, and counts for nothing. */
function compaction({ content, encrypted_content: encrypted }: MessagesAnyBlock, path: Path): UserPart[] {
  if (typeof content === 'string' && content !== '') return [{ type: 'text', text: content }];
  if (encrypted) throw invalid(path, 'only the vendor that compacted a conversation can read it');
  return [];
}

function imagePart(block: MessagesAnyBlock, path: Path): MediaPart {
  const { source, cache_control } = check(messagesImageBlock, block, path);
  return { type: 'media', kind: 'image', ...mediaOf(source), ...cacheOf(cache_control) };
}

/** Parses a document: one part after its context. A document with images becomes all of its parts. */
function documentParts(block: MessagesAnyBlock, path: Path): UserPart[] {
  const { source, title, context, cache_control } = check(messagesDocumentBlock, block, path);
  const before: TextPart[] = context ? [{ type: 'text', text: context }] : [];
  const named = { ...(title && { name: title }), ...cacheOf(cache_control) };
  const document = (media: Pick<MediaPart, 'source' | 'mediaType'>): UserPart[] => [
    ...before,
    { type: 'media', kind: 'document', ...media, ...named },
  ];
  if (source.type === 'text') return document(plainText(source.data));
  if (source.type !== 'content') return document(mediaOf(source));
  const parts = contentParts(source.content, [...path, 'source', 'content']);
  const texts = parts.flatMap(part => (part.type === 'text' ? [part.text] : []));
  if (texts.length === parts.length) return document(plainText(texts.join('\n\n')));
  return [...before, ...(title ? [{ type: 'text' as const, text: title }] : []), ...parts];
}

function plainText(text: string): Pick<MediaPart, 'source' | 'mediaType'> {
  return { source: { type: 'text', text }, mediaType: 'text/plain' };
}

function mediaOf(source: MessagesImageSource): { source: MediaSource; mediaType?: string } {
  switch (source.type) {
    case 'base64': {
      const mediaType = source.media_type === 'image/jpg' ? 'image/jpeg' : source.media_type;
      return { source: { type: 'base64', data: withoutLineEnds(source.data) }, mediaType };
    }
    case 'url':
      return { source: { type: 'url', url: source.url } };
    case 'file':
      return { source: { type: 'file', id: source.file_id, format: 'messages' } };
  }
}

function toolCall(block: MessagesAnyBlock, path: Path): ToolCallPart {
  const { id, name, input, cache_control } = check(messagesToolUseBlock, block, path);
  return { type: 'tool-call', id, name, arguments: JSON.stringify(input ?? {}), ...cacheOf(cache_control) };
}

function thinking(block: MessagesAnyBlock, path: Path): ReasoningPart {
  const { thinking: text, signature: value } = check(messagesThinkingBlock, block, path);
  const signature = readSignature(value, 'messages');
  return { type: 'reasoning', text, ...(signature && { signature }) };
}

function redacted(block: MessagesAnyBlock, path: Path): ReasoningPart {
  const signature = readSignature(check(messagesRedactedBlock, block, path).data, 'messages');
  return { type: 'reasoning', text: '', redacted: true, ...(signature && { signature }) };
}

function opaquePart(block: MessagesAnyBlock): OpaquePart {
  return { type: 'opaque', format: 'messages', value: block };
}

/** Parses a cache breakpoint. An unknown time to live is left to the upstream. */
export function cacheOf(breakpoint: { ttl?: string | null | undefined } | null | undefined): {
  cache?: CacheHint;
} {
  if (!breakpoint) return {};
  const { ttl } = breakpoint;
  return { cache: ttl === '5m' || ttl === '1h' ? { ttl } : {} };
}

type Issue = z.core.$ZodIssue;
/** The position of a value in the request body. */
export type Path = readonly PropertyKey[];

/** Parses a value by a schema. @throws GatewayError for the first invalid field, as `path: reason` */
export function check<T>(schema: z.ZodType<T>, value: unknown, path: Path = []): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const issue = innermost(error.issues[0] as Issue, value);
  throw invalid([...path, ...issue.path], reason(issue, valueAt(value, issue.path)));
}

export function invalid(path: Path, why: string): GatewayError {
  const param = path.map(String).join('.');
  return new GatewayError('invalid-request', param ? `${param}: ${why}` : why, { param });
}

/** Returns the issue within the list if a field may be a string or a list and is a list. */
function innermost(issue: Issue, value: unknown): Issue {
  if (issue.code !== 'invalid_union' || !Array.isArray(valueAt(value, issue.path))) return issue;
  const inner = issue.errors.flat().find(({ path }) => path.length > 0);
  return inner ? innermost({ ...inner, path: [...issue.path, ...inner.path] }, value) : issue;
}

const nouns: Record<string, string> = {
  int: 'integer',
  array: 'list',
  object: 'object',
};

function reason(issue: Issue, value: unknown): string {
  if (value === undefined) return 'Field required';
  switch (issue.code) {
    case 'invalid_type':
      return `Input should be a valid ${nouns[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `Input should be ${oneOf(issue.values)}`;
    case 'invalid_union':
      return 'options' in issue
        ? `Input should be ${oneOf(issue.options as unknown[])}`
        : `Input should be a valid ${issue.message}`;
    case 'custom':
      return issue.params?.minimum === undefined
        ? `Input should be a valid ${issue.message}`
        : `Input should be greater than or equal to ${issue.params.minimum}`;
    case 'invalid_format':
      return `Input should be a valid ${issue.message}`;
    case 'too_small':
      if (issue.origin === 'array') return `List should have at least ${issue.minimum} item`;
      if (issue.origin === 'string') return `String should have at least ${issue.minimum} character`;
      return `Input should be greater than or equal to ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'string') return `String should have at most ${issue.maximum} characters`;
      return `Input should be less than or equal to ${issue.maximum}`;
    default:
      return issue.message;
  }
}

function oneOf(values: readonly unknown[]): string {
  const quoted = values.map(value => `'${String(value)}'`);
  const last = quoted.pop();
  return quoted.length === 0 ? `${last}` : `${quoted.join(', ')} or ${last}`;
}
