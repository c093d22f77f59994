import {
  type AssistantPart,
  type Citation,
  type MediaPart,
  parseExact,
  type ReasoningPart,
  writeSignature,
} from '@model-gateway/canonical';
import { type MessagesAnyBlock, type MessagesWebCitation, messagesWebCitation } from '@model-gateway/wire';

/** The block of a whole part; none where there is nothing to show. An empty text is no block: clients would send it back. */
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
      // What another vendor did for itself, such as a search, is no part of what it says.
      return part.format === 'messages' ? [part.value as MessagesAnyBlock] : [];
  }
}

/** A call as it begins in a stream: its input is yet to come. */
export function toolUseBlock(id: string, name: string): MessagesAnyBlock {
  return { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } };
}

function textBlocks(text: string, cited: readonly Citation[] = []): MessagesAnyBlock[] {
  const citations = cited.length > 0 ? cited.map(renderCitation) : null;
  return text === '' ? [] : [{ type: 'text', text, citations }];
}

function reasoningBlocks({ text, signature, redacted }: ReasoningPart): MessagesAnyBlock[] {
  const proof = signature ? writeSignature(signature, 'messages') : '';
  if (redacted) return proof === '' ? [] : [{ type: 'redacted_thinking', data: proof }];
  return text === '' && proof === '' ? [] : [{ type: 'thinking', thinking: text, signature: proof }];
}

/** What a model wrote as a call's arguments, as the object that this format wants. */
export function toolInput(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    return { _raw: text };
  }
  if (value === null) return {};
  // A number that is kept as its text is an object, too, but not written as one.
  return text.trimStart().startsWith('{') ? (value as Record<string, unknown>) : { value };
}

/** This format has no media in answers: a link is what its clients can show. */
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

/** A source as this format has it: of all of its block, without what it says and without proof, which other formats lack. */
export function renderCitation({ url, title }: Citation): MessagesWebCitation {
  return { type: 'web_search_result_location', url, title, cited_text: '', encrypted_index: '' };
}

/** Whether a block cites what the gateway made of another vendor's answer: without its proof, this one refuses it. */
export function hasUnprovenCitation(block: Record<string, unknown>): boolean {
  if (!Array.isArray(block.citations)) return false;
  return block.citations.some(citation => {
    const { success, data } = messagesWebCitation.safeParse(citation);
    return success && !data.encrypted_index;
  });
}

/** An answer's id as this format has it: the upstream's own, else one made of the request's. */
export function messageId(id: string, requestId: string): string {
  return id.startsWith('msg_') ? id : `msg_${bare(requestId)}`;
}

/** An id for the tool call at a place of the answer, where the upstream gave it none. */
export function callId(requestId: string, index: number): string {
  return `toolu_${bare(requestId)}_${index}`;
}

function bare(requestId: string): string {
  return requestId.replace(/^req_/, '');
}
