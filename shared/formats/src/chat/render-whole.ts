import type { AnswerChoice, AssistantPart, GenerateAnswer } from '@model-gateway/canonical';
import type { ChatAnnotation, ChatAnswerMessage, ChatCompletion } from './answer.ts';
import { type ChoiceContent, lateRefusal, renderReason } from './finish.ts';
import {
  answerId,
  renderAnnotations,
  renderCall,
  renderImages,
  renderThinking,
  systemFingerprint,
} from './render-parts.ts';
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
