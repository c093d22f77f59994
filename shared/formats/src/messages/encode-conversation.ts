import type {
  AssistantPart,
  CacheHint,
  GenerateRequest,
  MediaPart,
  MediaSource,
  Message,
  OpaquePart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import { digest, textOfBase64 } from '#bytes';
import { asHeld } from '../upstream/encode-media.ts';
import { forwarded, opaqueText, refuse } from '../upstream/request-body.ts';
import { toolInput } from '../upstream/tools.ts';
import { alternating, conversationOf, joinedTurns, splitConversation } from '../upstream/turns.ts';
import type {
  MessagesBlockParam,
  MessagesCacheControl,
  MessagesContentParam,
  MessagesDocumentParam,
  MessagesImageParam,
  MessagesPlainTextSource,
  MessagesReasoningParam,
  MessagesStoredSource,
  MessagesTextParam,
  MessagesToolResultParam,
  MessagesToolUseParam,
  MessagesTurnParam,
} from './request.ts';

export interface Conversation {
  system: MessagesTextParam[];
  turns: MessagesTurnParam[];
}

/** Encodes a conversation as alternating turns, with leading instructions separate. */
export function conversation(request: GenerateRequest): Conversation {
  const { instructions, turns } = conversationOf(request);
  return { system: textBlocks(instructions), turns: alternating(turns, blocks, request.userFirst) };
}

/** Writes the turns of a conversation, those of one side as one, and separates the leading instructions. */
export function turnsOf(messages: readonly Message[]): Conversation {
  const { instructions, turns } = splitConversation(messages);
  return { system: textBlocks(instructions), turns: joinedTurns(turns, blocksOf) };
}

const blocks = {
  of: blocksOf,
  isResult: ({ type }: MessagesBlockParam) => type === 'tool_result',
  placeholder: { type: 'text', text: '.' } as const,
};

function blocksOf({ role, content }: Message): MessagesBlockParam[] {
  switch (role) {
    case 'system':
      return textBlocks(content);
    case 'user':
      return userBlocks(content);
    case 'tool':
      return content.map(toolResultBlock);
    case 'assistant':
      return assistantBlocks(content);
  }
}

/** Encodes texts. Blank ones are left out: the vendor refuses them everywhere. */
export function textBlocks(parts: readonly TextPart[]): MessagesTextParam[] {
  return parts.filter(({ text }) => isWritten(text)).map(textBlock);
}

/** True for a text that is not blank. */
export function isWritten(text: string): boolean {
  return /\S/.test(text);
}

function textBlock({ text, cache }: TextPart): MessagesTextParam {
  return { type: 'text', text, cache_control: cacheBreakpoint(cache) };
}

export function userBlocks(parts: UserPart[]): MessagesContentParam[] {
  return parts.flatMap(userBlock);
}

function userBlock(part: UserPart): MessagesContentParam[] {
  switch (part.type) {
    case 'text':
      return textBlocks([part]);
    case 'media':
      return [mediaBlock(part)];
    case 'opaque':
      return [opaqueBlock(part)];
  }
}

export function assistantBlocks(parts: AssistantPart[]): MessagesBlockParam[] {
  return parts.flatMap(assistantBlock);
}

function assistantBlock(part: AssistantPart): MessagesBlockParam[] {
  switch (part.type) {
    case 'refusal':
      return textBlocks([{ type: 'text', text: part.text }]);
    case 'reasoning':
      return thinkingBlocks(part);
    case 'tool-call':
      return [toolUseBlock(part)];
    case 'text':
    case 'media':
    case 'opaque':
      return userBlock(part);
  }
}

export function toolResultBlock(part: ToolResultPart): MessagesToolResultParam {
  const { callId: id, error, cache } = part;
  return {
    type: 'tool_result',
    tool_use_id: callId(id),
    content: resultContent(part),
    is_error: error ? true : undefined,
    cache_control: cacheBreakpoint(cache),
  };
}

function resultContent({ content, error }: ToolResultPart): MessagesToolResultParam['content'] {
  const [first] = content;
  const plain = content.length === 1 && first?.type === 'text' && !first.cache;
  if (plain && isWritten(first.text)) return first.text;
  const blocks = userBlocks(content);
  // An error needs content.
  if (blocks.length === 0) return error ? '(empty)' : '';
  return blocks;
}

function toolUseBlock(part: ToolCallPart): MessagesToolUseParam {
  const { id, name, cache } = part;
  return {
    type: 'tool_use',
    id: callId(id),
    name: toolName(name),
    input: toolInput(part),
    cache_control: cacheBreakpoint(cache),
  };
}

/** Encodes signed thinking of this format's vendor unchanged; drops all other reasoning. */
function thinkingBlocks({ text, signature, redacted }: ReasoningPart): MessagesReasoningParam[] {
  if (signature?.format !== 'messages' || signature.value === '') return [];
  return redacted
    ? [{ type: 'redacted_thinking', data: signature.value }]
    : [{ type: 'thinking', thinking: text, signature: signature.value }];
}

function opaqueBlock(part: OpaquePart): MessagesContentParam {
  const { format, value } = part;
  if (format === 'messages' && typeof value.type === 'string') return forwarded(value);
  return { type: 'text', text: opaqueText(part) };
}

/** Returns the `cache_control` of a block or a tool. */
export function cacheBreakpoint(cache: CacheHint | undefined): MessagesCacheControl | undefined {
  return cache && { type: 'ephemeral', ttl: cache.ttl };
}

/** Encodes an image or a document. @throws GatewayError for media that this format cannot hold */
export function mediaBlock(media: MediaPart): MessagesImageParam | MessagesDocumentParam {
  const part = asHeld(media);
  const cache_control = cacheBreakpoint(part.cache);
  switch (part.kind) {
    case 'image':
      return { type: 'image', source: imageSource(part), cache_control };
    case 'document': {
      const title = part.name || undefined;
      return { type: 'document', source: documentSource(part), title, cache_control };
    }
    case 'audio':
      return refuse('messages', 'This model does not support audio input.');
  }
}

function imageSource({ source, mediaType }: MediaPart): MessagesImageParam['source'] {
  switch (source.type) {
    case 'url':
    case 'file':
      return storedSource(source);
    case 'text':
      return refuse('messages', 'An image must be base64 data or a URL.');
    case 'base64': {
      if (!mediaType) return refuse('messages', 'The media type of an image is missing.');
      const media_type = mediaType === 'image/jpg' ? 'image/jpeg' : mediaType;
      return { type: 'base64', media_type, data: source.data };
    }
  }
}

function documentSource({ source, mediaType, name = '' }: MediaPart): MessagesDocumentParam['source'] {
  switch (source.type) {
    case 'url':
    case 'file':
      return storedSource(source);
    case 'text':
      return plainText(source.text);
    case 'base64':
      if (!mediaType)
        return refuse('messages', `The media type of the file '${name}' is missing: send it as a data URL.`);
      if (mediaType.startsWith('text/')) return plainText(textOfBase64(source.data));
      return { type: 'base64', media_type: mediaType, data: source.data };
  }
}

function storedSource(source: Extract<MediaSource, { type: 'url' | 'file' }>): MessagesStoredSource {
  if (source.type === 'url') return { type: 'url', url: source.url };
  if (source.format === 'messages') return { type: 'file', file_id: source.id };
  return refuse('messages', `The file '${source.id}' is stored with another vendor than this model's.`);
}

function plainText(data: string): MessagesPlainTextSource {
  return { type: 'text', media_type: 'text/plain', data };
}

export const allowed = /^[a-zA-Z0-9_-]{1,64}$/;

/** Returns a call id that this format allows: an invalid id is always replaced by the same hash. */
export function callId(id: string): string {
  return allowed.test(id) ? id : `call_${digest(id, 32)}`;
}

/** Returns a tool name that this format allows: an invalid name is shortened and gets a hash. */
export function toolName(name: string): string {
  if (allowed.test(name)) return name;
  return `${name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 51)}_${digest(name, 12)}`;
}

/** Returns an end-user id. One that is too long or looks like an email address is hashed. */
export function userId(user: string): string {
  return user.length > 256 || /\S@\S/.test(user) ? digest(user, 32) : user;
}
