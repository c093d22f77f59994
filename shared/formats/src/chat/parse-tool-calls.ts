import type { Signature, ToolCallPart } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { callArguments } from '../client/call-arguments.ts';
import { readSignedId } from '../values/signatures.ts';
import type { ChatAssistantTurn, ChatToolCall } from './turns.ts';

/** Parses the tool calls of an assistant message, the legacy `function_call` included. */
export function parseCalls({ tool_calls, function_call }: ChatAssistantTurn, path: string): ToolCallPart[] {
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
