import type {
  AnswerChoice,
  AssistantPart,
  Citation,
  GenerateAnswer,
  MediaPart,
  ReasoningPart,
  Signature,
  ToolCallPart,
} from '@model-gateway/canonical';
import { writeSignature } from '../values/signatures.ts';
import type { ChatAnnotation, ChatAnswerMessage, ChatCompletion } from './answer.ts';
import { type ChoiceContent, lateRefusal, renderReason } from './finish.ts';
import type { ChatThinkingBlock, ChatToolCall } from './request.ts';
import { renderUsage } from './usage.ts';

interface Context {
  requestId: string;
  created: number;
}

export function renderWhole(
  { start, parts, finish, more = [] }: GenerateAnswer,
  { requestId, created }: Context,
  { model, legacy }: ChatAnswerOptions,
): ChatCompletion {
  const choices = [{ parts, end: finish }, ...more];
  return {
    id: answerId(start.id, requestId),
    object: 'chat.completion',
    created,
    model: start.model || model,
    service_tier: null,
    system_fingerprint: systemFingerprint,
    choices: choices.map((choice, index) => renderChoice(choice, index, legacy)),
    ...(finish.usage && { usage: renderUsage(finish.usage) }),
  };
}

function renderChoice({ parts, end }: AnswerChoice, index: number, legacy: boolean) {
  const content: ChoiceContent = {
    calls: parts.some(part => part.type === 'tool-call'),
    refusal: parts.some(part => part.type === 'refusal'),
    legacy,
  };
  const message = renderMessage(parts, lateRefusal(end, content), legacy);
  return { index, message, logprobs: null, finish_reason: renderReason(end, content) };
}

function renderMessage(
  parts: readonly AssistantPart[],
  explanation: string | undefined,
  legacy: boolean,
): ChatAnswerMessage {
  const refusal = joined(parts, 'refusal') ?? explanation ?? null;
  const other = parts.some(part => part.type === 'tool-call') || refusal !== null;
  return {
    role: 'assistant',
    content: joined(parts, 'text') ?? (other ? null : ''),
    refusal,
    annotations: annotations(parts),
    ...reasoningFields(parts),
    ...callFields(parts, legacy),
    ...imageFields(parts),
  };
}

function annotations(parts: readonly AssistantPart[]): ChatAnnotation[] {
  let start = 0;
  return parts.flatMap(part => {
    if (part.type !== 'text') return [];
    const place = { start, end: start + part.text.length };
    start = place.end;
    return renderAnnotations(part.citations ?? [], place);
  });
}

/** Joins the text of all parts of a type. Returns undefined if there is no such part. */
function joined(parts: readonly AssistantPart[], type: 'text' | 'refusal' | 'reasoning'): string | undefined {
  const texts = parts.flatMap(part => (part.type === type ? [part.text] : []));
  return texts.length > 0 ? texts.join('') : undefined;
}

/** Renders the plain text for display, and the blocks to send back if any of them is signed. */
function reasoningFields(
  parts: readonly AssistantPart[],
): Pick<ChatAnswerMessage, 'reasoning_content' | 'thinking_blocks'> {
  const blocks = parts.filter(part => part.type === 'reasoning');
  const text = joined(blocks, 'reasoning');
  return {
    ...(text && { reasoning_content: text }),
    ...(blocks.some(({ signature }) => signature) && { thinking_blocks: blocks.map(renderThinking) }),
  };
}

function callFields(
  parts: readonly AssistantPart[],
  legacy: boolean,
): Pick<ChatAnswerMessage, 'tool_calls' | 'function_call'> {
  const calls = parts.filter(part => part.type === 'tool-call');
  const [first, ...more] = calls;
  if (!first) return {};
  if (!legacy) return { tool_calls: calls.map(renderCall) };
  const { name, arguments: text } = first;
  return {
    function_call: { name, arguments: text || '{}' },
    ...(more.length > 0 && { tool_calls: more.map(renderCall) }),
  };
}

function imageFields(parts: readonly AssistantPart[]): Pick<ChatAnswerMessage, 'images'> {
  const images = parts.flatMap(part => (part.type === 'media' ? renderImages(part) : []));
  return images.length > 0 ? { images } : {};
}

/** The fields of a request that affect how its response is rendered. */
export interface ChatAnswerOptions {
  /** The model name of the request, for upstreams that send none. */
  model: string;
  /** True if the client requested the usage at the end of a stream. */
  usage: boolean;
  /** True for a client that uses the legacy form of functions. */
  legacy: boolean;
}

/** The position of a text in the message's content, in characters. */
export interface Position {
  start: number;
  end: number;
}

/** Renders citations with positions in the message. A citation without a range covers the whole text. */
export function renderAnnotations(citations: readonly Citation[], text: Position): ChatAnnotation[] {
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
