import type {
  AssistantPart,
  GenerateRequest,
  Message,
  OpaquePart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import type { FormatDifferences, ThinkingControl } from '@model-gateway/providers';
import { paired } from '../upstream/call-ids.ts';
import { documentText, encodeMedia, isEncodable } from '../upstream/encode-media.ts';
import { forwarded, opaqueText, unsupported } from '../upstream/request-body.ts';
import { sentCallId, toolName } from '../upstream/tools.ts';
import { type ChatReasoningDetail, signedReasoning } from './reasoning.ts';
import type {
  ChatMessageParam,
  ChatPartParam,
  ChatSignatureParam,
  ChatTextParam,
  ChatThinkingBlock,
  ChatToolCallParam,
} from './request.ts';

interface MessageOptions {
  /** True if the upstream is the format's own vendor, which does not accept reasoning text. */
  original: boolean;
  /** True if the upstream continues a last message of the assistant. */
  prefill: boolean;
  /** True for Google's models, which require their signatures. Other upstreams may refuse the field. */
  signed: boolean;
  differences?: FormatDifferences | undefined;
  /** The turns of the assistant that must have reasoning, be it an empty one. */
  reasonedTurns?: ThinkingControl['reasonedTurns'];
}

export function encodeMessages(request: GenerateRequest, options: MessageOptions): ChatMessageParam[] {
  const { continuesLastTurn } = request;
  const { prefill, differences } = options;
  // Other servers start a new turn instead.
  if (continuesLastTurn && !prefill)
    throw unsupported('messages', 'this model cannot continue a final assistant message');
  const encoded = encodeTurns(paired(request.messages), { ...options, idOf: sentCallId(differences) });
  const sent = differences?.alternates ? alternating(encoded) : encoded;
  const mark = continuesLastTurn ? differences?.continuation?.message : undefined;
  return mark
    ? sent.map((message, at) => (at === sent.length - 1 ? { ...message, ...mark } : message))
    : sent;
}

interface TurnOptions extends MessageOptions {
  /** Returns the id of a tool call as it is sent. */
  idOf(id: string): string;
}

/** Writes the turns of a conversation, each as it is. */
export function encodeTurns(messages: readonly Message[], options: TurnOptions): ChatMessageParam[] {
  const sent: ChatMessageParam[] = [];
  let media: ChatPartParam[] = [];
  for (const message of messages) {
    // Media of tool results go in front of the next user message: tool messages hold only text.
    if (message.role === 'user') {
      sent.push({ role: 'user', content: asContent([...media, ...encodeParts(message.content)]) });
      media = [];
      continue;
    }
    if (media.length > 0 && message.role !== 'tool') sent.push({ role: 'user', content: asContent(media) });
    if (message.role !== 'tool') media = [];
    sent.push(...encodeTurn(message, options));
    if (message.role === 'tool')
      media.push(...message.content.flatMap(result => encodeResultMedia(result, options)));
  }
  if (media.length > 0) sent.push({ role: 'user', content: asContent(media) });
  return sent;
}

function encodeTurn(message: Exclude<Message, { role: 'user' }>, options: TurnOptions): ChatMessageParam[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: asContent(message.content.map(textPart)) }];
    case 'assistant':
      return [encodeAssistant(message.content, options)];
    case 'tool':
      return message.content.map(result => encodeResult(result, options));
  }
}

/** Joins turns of the same side, one after the other. Turns with tool calls or results stay as they are. */
function alternating(messages: readonly ChatMessageParam[]): ChatMessageParam[] {
  const joinable = ({ role, ...message }: ChatMessageParam) =>
    role === 'user' || (role === 'assistant' && !('tool_calls' in message && message.tool_calls));
  const turns: ChatMessageParam[] = [];
  /** The content of the last turn, once another one was joined to it. */
  let content: unknown[] | undefined;
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role !== message.role || !joinable(last) || !joinable(message)) {
      turns.push(message);
      content = undefined;
      continue;
    }
    content ??= [...asParts(last.content)];
    for (const part of asParts(message.content)) content.push(part);
    turns[turns.length - 1] = { ...last, content } as ChatMessageParam;
  }
  return turns;
}

function asParts(content: ChatMessageParam['content']): unknown[] {
  if (content == null || content === '') return [];
  return typeof content === 'string' ? [textPart({ text: content })] : content;
}

/** Returns a single text as a string, which every upstream accepts. */
function asContent<P extends ChatPartParam>(parts: P[]): string | P[] {
  const [only, ...more] = parts;
  if (!only) return '';
  return only.type === 'text' && more.length === 0 ? only.text : parts;
}

function textPart({ text }: { text: string }): ChatTextParam {
  return { type: 'text', text };
}

function encodeParts(parts: readonly UserPart[]): ChatPartParam[] {
  return parts.map(encodePart);
}

function encodePart(part: UserPart): ChatPartParam {
  switch (part.type) {
    case 'text':
      return textPart(part);
    case 'media':
      return encodeMedia(part);
    case 'opaque':
      return part.format === 'chat' ? forwarded(part.value) : textPart({ text: opaqueText(part) });
  }
}

/** Encodes all content of a result as text, with a reference to media that follow in a user message. */
function encodeResult(
  { callId: id, content, error }: ToolResultPart,
  { idOf }: TurnOptions,
): ChatMessageParam {
  const texts = content.map(part => {
    if (part.type === 'text') return part.text;
    if (part.type === 'opaque') return opaqueText(part);
    if (part.source.type === 'text') return documentText(part, part.source.text);
    return isEncodable(part) ? `(${part.kind}: see the user message that follows)` : JSON.stringify(part);
  });
  const [first = '', ...more] = texts;
  const flagged = [error ? `Error: ${first}` : first, ...more];
  const parts = flagged.map(text => textPart({ text }));
  return { role: 'tool', tool_call_id: idOf(id), content: asContent(parts) };
}

/** Encodes the media of a result for the user message that follows. */
function encodeResultMedia({ callId: id, content }: ToolResultPart, { idOf }: TurnOptions): ChatPartParam[] {
  const media = content.filter(part => part.type === 'media');
  const encoded = media.filter(part => part.source.type !== 'text' && isEncodable(part)).map(encodeMedia);
  return encoded.length > 0 ? [{ type: 'text', text: `Shown by tool call ${idOf(id)}:` }, ...encoded] : [];
}

function encodeAssistant(
  parts: readonly AssistantPart[],
  { original, signed: signsCalls, differences, reasonedTurns, idOf }: TurnOptions,
): ChatMessageParam {
  const called = parts.filter(part => part.type === 'tool-call');
  const calls = called.map(part => ({ ...encodeCall(part, idOf), ...(signsCalls && encodeSignature(part)) }));
  const text = textOf(parts);
  const refusal = joined(parts, 'refusal');
  const { reasoning: field = 'reasoning_content' } = differences ?? {};
  const details = differences?.reasoningDetails ? encodeDetails(parts) : [];
  const blocks = parts.flatMap(part => (isOwn(part) ? forwarded<ChatThinkingBlock>(part.value) : []));
  const signed = details.length > 0 || blocks.length > 0;
  const reasoning = original || field === null || signed ? '' : joined(parts, 'reasoning');
  const mustReason = reasonedTurns === 'all' || (reasonedTurns === 'calls' && calls.length > 0);
  const noContent = text === '' && (calls.length > 0 || refusal !== '');
  return {
    role: 'assistant',
    content: noContent ? null : text,
    refusal: refusal || undefined,
    ...((reasoning || mustReason) && { [field as string]: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(blocks.length > 0 && { thinking_blocks: blocks }),
    tool_calls: calls.length > 0 ? calls : undefined,
  };
}

/** Returns the text of a turn, with its media and opaque parts as text. */
function textOf(parts: readonly AssistantPart[]): string {
  let text = '';
  let afterBlock = false;
  for (const part of parts) {
    const piece = partText(part);
    if (piece === undefined || piece === '') continue;
    const block = part.type !== 'text';
    text += text !== '' && (afterBlock || block) ? `\n${piece}` : piece;
    afterBlock = block;
  }
  return text;
}

/** Returns a part as text; undefined for a part that has its own field. */
function partText(part: AssistantPart): string | undefined {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'opaque':
      return isOwn(part) ? undefined : opaqueText(part);
    case 'media':
      return part.source.type === 'text' ? documentText(part, part.source.text) : `(${part.kind})`;
    default:
      return undefined;
  }
}

/** True for a block of reasoning that only this format has. */
function isOwn(part: AssistantPart): part is OpaquePart {
  return part.type === 'opaque' && part.format === 'chat';
}

function joined(parts: readonly AssistantPart[], type: 'refusal' | 'reasoning'): string {
  return parts.flatMap(part => (part.type === type ? [part.text] : [])).join('');
}

/** Returns the reasoning of a turn that vendors of this format made in a form of their own. */
function encodeDetails(parts: readonly AssistantPart[]): ChatReasoningDetail[] {
  return parts.flatMap(part => {
    const detail = part.type === 'reasoning' ? signedReasoning(part.signature, part.text) : undefined;
    return detail ? [detail] : [];
  });
}

function encodeCall(
  { id, name, arguments: text, custom }: ToolCallPart,
  idOf: TurnOptions['idOf'],
): ChatToolCallParam {
  if (custom) return { id: idOf(id), type: 'custom', custom: { name: toolName(name), input: text } };
  return {
    id: idOf(id),
    type: 'function',
    function: { name: toolName(name), arguments: text.trim() === '' ? '{}' : text },
  };
}

/** Encodes a call's signature where Google's OpenAI-compatible API expects it. */
function encodeSignature({ signature }: ToolCallPart): ChatSignatureParam {
  if (signature?.format !== 'generate-content') return {};
  return { extra_content: { google: { thought_signature: signature.value } } };
}
