import type { Citation, MediaPart, ReasoningPart, Signature, ToolCallPart } from '@model-gateway/canonical';
import { writeSignature } from '../values/signatures.ts';
import type { ChatAnnotation, ChatAnswerMessage } from './answer.ts';
import type { ChatThinkingBlock, ChatToolCall } from './turns.ts';

/** The position of a text in the message's content, in characters. */
export interface Place {
  start: number;
  end: number;
}

/** Renders citations with positions in the message. A citation without a range covers the whole text. */
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

/** Renders generated images in the `images` field that several gateways use: the format defines none. */
export function renderImages({ kind, source, mediaType = 'image/png' }: MediaPart): Images {
  if (kind !== 'image') return [];
  if (source.type === 'url') return [{ type: 'image_url', image_url: { url: source.url } }];
  if (source.type !== 'base64') return [];
  return [{ type: 'image_url', image_url: { url: `data:${mediaType};base64,${source.data}` } }];
}

/** Renders reasoning as a block of Anthropic's API, which a client can send back for the vendor to verify. */
export function renderThinking({ text, signature, redacted }: ReasoningPart): ChatThinkingBlock {
  const signed = signature ? writeSignature(signature, 'messages') : '';
  if (redacted) return { type: 'redacted_thinking', data: signed };
  return { type: 'thinking', thinking: text, ...(signed && { signature: signed }) };
}

/** Renders a complete call. Empty arguments become an empty object. */
export function renderCall({ id, name, arguments: text, custom, signature }: ToolCallPart): ChatToolCall {
  if (custom) return { id, type: 'custom', custom: { name, input: text } };
  return { id, type: 'function', function: { name, arguments: text || '{}' }, ...renderSignature(signature) };
}

/** Renders a call's signature as Google's OpenAI-compatible API does. */
export function renderSignature(signature: Signature | undefined): {
  extra_content?: { google: { thought_signature: string } };
} {
  if (signature?.format !== 'generate-content') return {};
  return { extra_content: { google: { thought_signature: signature.value } } };
}

/** Returns the upstream's id with this format's prefix, or the request id if the upstream sends none. */
export function answerId(upstream: string, requestId: string): string {
  if (upstream.startsWith('chatcmpl-')) return upstream;
  return `chatcmpl-${upstream || requestId}`;
}

/** A constant fingerprint: clients compare it, and a translated response has no backend version to report. */
export const systemFingerprint = 'fp_gateway';
