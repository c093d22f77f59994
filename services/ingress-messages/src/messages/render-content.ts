import type { AssistantPart, Citation, MediaPart, ReasoningPart } from '@model-gateway/canonical';
import { parseExact } from '@model-gateway/json';
import {
  type MessagesAnyBlock,
  type MessagesWebCitation,
  messagesWebCitation,
  writeSignature,
} from '@model-gateway/wire';

/** Renders the blocks of a complete part. An empty text has none: clients would send it back. */
export function renderBlocks(part: AssistantPart, spareId: string): MessagesAnyBlock[] {
  switch (part.type) {
    case 'text':
      return textBlocks(part.text, part.citations);
    case 'refusal':
      return textBlocks(part.text);
    case 'reasoning':
      return reasoningBlocks(part);
    case 'tool-call':
      return [{ ...toolUseBlock(part.id || spareId, part.name), input: toolInput(part.arguments) }];
    case 'media':
      return textBlocks(mediaText(part));
    case 'opaque':
      // Opaque parts of other vendors, such as a search, have no equivalent.
      return part.format === 'messages' ? [part.value as MessagesAnyBlock] : [];
  }
}

/** Renders a call without its input, which follows in the stream. */
export function toolUseBlock(id: string, name: string): MessagesAnyBlock {
  return { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } };
}

function textBlocks(text: string, cited: readonly Citation[] = []): MessagesAnyBlock[] {
  const citations = cited.length > 0 ? cited.map(renderCitation) : null;
  return text === '' ? [] : [{ type: 'text', text, citations }];
}

function reasoningBlocks({ text, signature, redacted }: ReasoningPart): MessagesAnyBlock[] {
  const signed = signature ? writeSignature(signature, 'messages') : '';
  if (redacted) return signed === '' ? [] : [{ type: 'redacted_thinking', data: signed }];
  return text === '' && signed === '' ? [] : [{ type: 'thinking', thinking: text, signature: signed }];
}

/** Converts the arguments of a call to the object that this format requires. */
export function toolInput(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    return { _raw: text };
  }
  if (value === null) return {};
  // An exact number is also a JavaScript object, so the text decides.
  return text.trimStart().startsWith('{') ? (value as Record<string, unknown>) : { value };
}

/** Renders media as a Markdown link, since responses of this format have no media. */
function mediaText({ kind, source, mediaType, name }: MediaPart): string {
  switch (source.type) {
    case 'text':
      return source.text;
    case 'file':
      return `[${name ?? kind}: ${source.id}]`;
    case 'url':
    case 'base64': {
      const url = source.type === 'url' ? source.url : `data:${mediaType ?? ''};base64,${source.data}`;
      return `${kind === 'image' ? '!' : ''}[${name ?? kind}](${url})`;
    }
  }
}

/**
 * Renders a citation of a whole block. The cited text and its signature are empty, since other formats lack
 * them.
 */
export function renderCitation({ url, title }: Citation): MessagesWebCitation {
  return { type: 'web_search_result_location', url, title, cited_text: '', encrypted_index: '' };
}

/** True if a block has a citation without a signature, made by the gateway. The vendor rejects it. */
export function hasUnsignedCitation(block: Record<string, unknown>): boolean {
  if (!Array.isArray(block.citations)) return false;
  return block.citations.some(citation => {
    const { success, data } = messagesWebCitation.safeParse(citation);
    return success && !data.encrypted_index;
  });
}

/** Returns the upstream's id if it is a message id, else one derived from the request id. */
export function messageId(id: string, requestId: string): string {
  return id.startsWith('msg_') ? id : `msg_${withoutPrefix(requestId)}`;
}

/** Returns an id for a call to which the upstream gave none. */
export function callId(requestId: string, index: number): string {
  return `toolu_${withoutPrefix(requestId)}_${index}`;
}

function withoutPrefix(requestId: string): string {
  return requestId.replace(/^req_/, '');
}
