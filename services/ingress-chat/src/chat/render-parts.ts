import {
  type Citation,
  type MediaPart,
  type ReasoningPart,
  type Signature,
  type ToolCallPart,
  writeSignature,
} from '@model-gateway/canonical';
import type { ChatAnnotation, ChatAnswerMessage, ChatThinkingBlock, ChatToolCall } from '@model-gateway/wire';

/** Where a text stands in the message's content, in characters. */
export interface Place {
  start: number;
  end: number;
}

/** A text's sources, by where they are in the message; what names no place is of all of the text. */
export function renderAnnotations(citations: readonly Citation[], text: Place): ChatAnnotation[] {
  return citations.map(({ url, title, start, end }) => ({
    type: 'url_citation',
    url_citation: {
      url,
      title,
      start_index: start === undefined ? text.start : text.start + start,
      end_index: end === undefined ? text.end : text.start + end,
    },
  }));
}

type Images = NonNullable<ChatAnswerMessage['images']>;

/** Pictures that the model made, where several gateways put them; the format has no place of its own. */
export function renderImages({ kind, source, mediaType = 'image/png' }: MediaPart): Images {
  if (kind !== 'image') return [];
  if (source.type === 'url') return [{ type: 'image_url', image_url: { url: source.url } }];
  if (source.type !== 'base64') return [];
  return [{ type: 'image_url', image_url: { url: `data:${mediaType};base64,${source.data}` } }];
}

/** Reasoning as a client sends it back, so that the vendor takes it for its own; these blocks are Anthropic's. */
export function renderThinking({ text, signature, redacted }: ReasoningPart): ChatThinkingBlock {
  const proof = signature ? writeSignature(signature, 'messages') : '';
  if (redacted) return { type: 'redacted_thinking', data: proof };
  return { type: 'thinking', thinking: text, ...(proof && { signature: proof }) };
}

/** A whole call. No arguments are an empty object. */
export function renderCall({ id, name, arguments: text, custom, signature }: ToolCallPart): ChatToolCall {
  if (custom) return { id, type: 'custom', custom: { name, input: text } };
  return { id, type: 'function', function: { name, arguments: text || '{}' }, ...renderProof(signature) };
}

/** A call's signature, where Google's own surface of this format puts it. */
export function renderProof(signature: Signature | undefined): {
  extra_content?: { google: { thought_signature: string } };
} {
  if (signature?.format !== 'generate-content') return {};
  return { extra_content: { google: { thought_signature: signature.value } } };
}

/** The upstream's id in this format's form; an upstream without ids gets the request's. */
export function answerId(upstream: string, requestId: string): string {
  if (upstream.startsWith('chatcmpl-')) return upstream;
  return `chatcmpl-${upstream || requestId}`;
}

/** Clients compare it between answers; a translated answer has nothing behind it that could change. */
export const systemFingerprint = 'fp_gateway';
