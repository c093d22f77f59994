import {
  type AssistantPart,
  GatewayError,
  type ReasoningPart,
  type Signature,
  type ToolCallPart,
} from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { callArguments } from '../client/client-tools.ts';
import { readSignature, readSignedId } from '../values/signatures.ts';
import { parseCache, parseText } from './parse-content.ts';
import {
  type ChatReasoningDetail,
  isEncryptedReasoning,
  readReasoningDetails,
  reasoningSignature,
  reasoningText,
} from './reasoning.ts';
import type { ChatAssistantTurn, ChatThinkingBlock, ChatToolCall } from './turns.ts';

/** Parses an assistant message. The parts are in the order reasoning, text, tool calls. */
export function parseAssistant(turn: ChatAssistantTurn, path: string): AssistantPart[] {
  // The audio is stored at OpenAI, under an id that other vendors cannot resolve.
  if (turn.audio)
    throw new GatewayError(
      'invalid-request',
      `Unsupported parameter: '${path}.audio' refers to audio that this model's provider does not have.`,
      { param: `${path}.audio`, code: 'unsupported_parameter' },
    );
  const parts = [...parseReasoning(turn), ...parseTextAndRefusal(turn), ...parseCalls(turn, path)];
  const cache = parseCache(turn);
  const last = parts.at(-1);
  if (cache && (last?.type === 'text' || last?.type === 'tool-call')) last.cache ??= cache;
  return parts;
}

/** Parses the reasoning blocks or details with their signatures or, if there are none, the plain text. */
function parseReasoning(turn: ChatAssistantTurn): ReasoningPart[] {
  if (turn.thinking_blocks?.length) return turn.thinking_blocks.map(parseBlock);
  const details = readReasoningDetails(turn.reasoning_details);
  if (details.length > 0) return details.map(parseDetail);
  const text = turn.reasoning_content ?? turn.reasoning;
  return text ? [{ type: 'reasoning', text }] : [];
}

function parseDetail(detail: ChatReasoningDetail): ReasoningPart {
  const signature = reasoningSignature(detail);
  if (isEncryptedReasoning(detail)) return { type: 'reasoning', text: '', redacted: true, signature };
  return { type: 'reasoning', text: reasoningText(detail), signature };
}

function parseBlock(block: ChatThinkingBlock): ReasoningPart {
  if (block.type === 'redacted_thinking')
    return {
      type: 'reasoning',
      text: '',
      redacted: true,
      ...omitNullish({ signature: signatureOf(block.data) }),
    };
  const signature = signatureOf(block.signature);
  return { type: 'reasoning', text: block.thinking ?? '', ...omitNullish({ signature }) };
}

/** Reads a signature. Thinking blocks come from Anthropic's API: a signature without a tag is Anthropic's. */
function signatureOf(text: string | null | undefined): Signature | undefined {
  return readSignature(text, 'messages');
}

/**
 * Parses text and refusal. Drops the empty texts that clients send beside calls: some vendors reject them.
 */
function parseTextAndRefusal({ content, refusal }: ChatAssistantTurn): AssistantPart[] {
  const parts = (content ?? []).map(
    (part): AssistantPart =>
      part.type === 'text' ? parseText(part) : { type: 'refusal', text: part.refusal },
  );
  if (refusal) parts.push({ type: 'refusal', text: refusal });
  return parts.filter(part => !('text' in part) || part.text !== '');
}

/** Parses the tool calls of an assistant message, the legacy `function_call` included. */
function parseCalls({ tool_calls, function_call }: ChatAssistantTurn, path: string): ToolCallPart[] {
  const calls = (tool_calls ?? []).map((call, i) => parseCall(call, `${path}.tool_calls[${i}]`));
  if (!function_call) return calls;
  const args = callArguments(function_call.arguments, `${path}.function_call.arguments`);
  return [...calls, { type: 'tool-call', id: legacyId(path), name: function_call.name, arguments: args }];
}

/** Returns an id for a legacy call, which has none. It is derived from the call's position in the history. */
function legacyId(path: string): string {
  return `call_${path.replace(/\W/g, '')}`;
}

/** Parses a tool call; its signature may be in a field of its own or in its id. */
function parseCall(call: ChatToolCall, path: string): ToolCallPart {
  const { id, signature: embedded } = readSignedId(call.id);
  if (call.type === 'custom') {
    const { name, input } = call.custom;
    return { type: 'tool-call', id, name, arguments: input ?? '', custom: true };
  }
  const { extra_content: google, provider_specific_fields: litellm, function: fn } = call;
  const value = google?.google?.thought_signature ?? litellm?.thought_signature ?? embedded;
  const signature: Signature | undefined = value ? { format: 'generate-content', value } : undefined;
  const args = callArguments(fn.arguments, `${path}.function.arguments`);
  return { type: 'tool-call', id, name: fn.name, arguments: args, ...omitNullish({ signature }) };
}
