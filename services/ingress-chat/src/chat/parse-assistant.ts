import {
  type AssistantPart,
  exceededBound,
  GatewayError,
  given,
  type ReasoningPart,
  readSignature,
  readSignedId,
  type Signature,
  type ToolCallPart,
} from '@model-gateway/canonical';
import type { ChatAssistantTurn, ChatThinkingBlock, ChatToolCall } from '@model-gateway/wire';
import { parseCache, parseText } from './parse-content.ts';

/** What the model said in a turn, in the order in which it says it: reasoning, text, calls. */
export function parseAssistant(turn: ChatAssistantTurn, path: string): AssistantPart[] {
  // The audio is at OpenAI, under an id that means nothing elsewhere.
  if (turn.audio)
    throw new GatewayError(
      'invalid-request',
      `Unsupported parameter: '${path}.audio' refers to audio that this model's provider does not have.`,
      { param: `${path}.audio`, code: 'unsupported_parameter' },
    );
  const spoken = [...parseReasoning(turn), ...parseSpoken(turn), ...parseCalls(turn, path)];
  const cache = parseCache(turn);
  const last = spoken.at(-1);
  if (cache && (last?.type === 'text' || last?.type === 'tool-call')) last.cache ??= cache;
  return spoken;
}

/** Blocks in their order, each with its own signature; without any, the bare text. */
function parseReasoning(turn: ChatAssistantTurn): ReasoningPart[] {
  if (turn.thinking_blocks?.length) return turn.thinking_blocks.map(parseBlock);
  const text = turn.reasoning_content ?? turn.reasoning;
  return text ? [{ type: 'reasoning', text }] : [];
}

function parseBlock(block: ChatThinkingBlock): ReasoningPart {
  if (block.type === 'redacted_thinking')
    return { type: 'reasoning', text: '', redacted: true, ...given({ signature: signatureOf(block.data) }) };
  const signature = signatureOf(block.signature);
  return { type: 'reasoning', text: block.thinking ?? '', ...given({ signature }) };
}

/** The blocks are those of Anthropic's API: what has no tag was signed there. */
function signatureOf(text: string | null | undefined): Signature | undefined {
  return readSignature(text, 'messages');
}

/** Text and refusal; clients send empty text beside calls, which says nothing and which some vendors refuse. */
function parseSpoken({ content, refusal }: ChatAssistantTurn): AssistantPart[] {
  const parts = (content ?? []).map(
    (part): AssistantPart =>
      part.type === 'text' ? parseText(part) : { type: 'refusal', text: part.refusal },
  );
  if (refusal) parts.push({ type: 'refusal', text: refusal });
  return parts.filter(part => !('text' in part) || part.text !== '');
}

function parseCalls({ tool_calls, function_call }: ChatAssistantTurn, path: string): ToolCallPart[] {
  const calls = (tool_calls ?? []).map((call, i) => parseCall(call, `${path}.tool_calls[${i}]`));
  if (!function_call) return calls;
  const args = readArguments(function_call.arguments, `${path}.function_call.arguments`);
  return [...calls, { type: 'tool-call', id: legacyId(path), name: function_call.name, arguments: args }];
}

/** Calls of the old form have no id: their place in the history is as good. */
function legacyId(path: string): string {
  return `call_${path.replace(/\W/g, '')}`;
}

function parseCall(call: ChatToolCall, path: string): ToolCallPart {
  const { id, signature: hidden } = readSignedId(call.id);
  if (call.type === 'custom') {
    const { name, input } = call.custom;
    return { type: 'tool-call', id, name, arguments: input ?? '', custom: true };
  }
  const { extra_content: google, provider_specific_fields: litellm, function: fn } = call;
  const value = google?.google?.thought_signature ?? litellm?.thought_signature ?? hidden;
  const signature: Signature | undefined = value ? { format: 'generate-content', value } : undefined;
  const args = readArguments(fn.arguments, `${path}.function.arguments`);
  return { type: 'tool-call', id, name: fn.name, arguments: args, ...given({ signature }) };
}

/** Formats other than this one carry arguments as JSON, not as text. */
function readArguments(text: string | null | undefined, param: string): string {
  if (!text?.trim()) return '';
  const exceeded = exceededBound(text);
  if (exceeded) throw invalidArguments(param, `are JSON that ${exceeded}`);
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw invalidArguments(param, 'are not valid JSON');
  }
}

function invalidArguments(param: string, why: string): GatewayError {
  const message = `Invalid '${param}': the arguments of this tool call ${why}.`;
  return new GatewayError('invalid-request', message, { param, code: 'invalid_value' });
}
