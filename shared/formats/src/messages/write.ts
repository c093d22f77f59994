import type { GenerateRequest, Reasoning } from '@model-gateway/canonical';
import { writePlain } from '../upstream/request-body.ts';
import { type Conversation, turnsOf } from './encode-conversation.ts';
import { wireChoice, wireTools } from './encode-tools.ts';
import { messagesFields } from './fields.ts';
import type { MessagesBlockParam, MessagesRequestParams } from './request.ts';

type Settings = Partial<
  Pick<MessagesRequestParams, 'max_tokens' | 'temperature' | 'top_p' | 'top_k' | 'stop_sequences'>
>;

/** Writes a request in the format's fields, as a client does that knows no model, without its model and streaming. */
export function write(request: GenerateRequest): object {
  const { reasoning, output, toolChoice, parallelToolCalls } = request;
  const { system, messages, ...settings } = writeFields(request, turnsOf(request.messages));
  const tools = wireTools(request, { schema: true }, tool => tool);
  const effort = reasoning?.effort === 'none' ? undefined : reasoning?.effort;
  const format = output?.type === 'schema' ? { type: 'json_schema', schema: output.schema } : undefined;
  return {
    system: system && plain(system),
    messages: messages.map(({ role, content }) => ({ role, content: plain(content) })),
    ...settings,
    thinking: reasoning && thinkingOf(reasoning),
    output_config: effort || format ? { effort, format } : undefined,
    ...(tools.length > 0 && { tools, tool_choice: wireChoice(toolChoice, parallelToolCalls) }),
  };
}

/** Writes the settings of a request and its conversation. Undefined fields are not sent. */
export function writeFields(
  request: GenerateRequest,
  { system, turns }: Conversation,
): Settings & Pick<MessagesRequestParams, 'system' | 'messages'> {
  const { stop = [] } = request;
  return {
    system: system.length > 0 ? system : undefined,
    messages: turns,
    ...writePlain(messagesFields, { ...request, stop: stop.length > 0 ? stop : undefined }),
  };
}

/** Returns a single text as a string. */
function plain(content: readonly MessagesBlockParam[]): string | readonly MessagesBlockParam[] {
  const [only, ...others] = content;
  return only?.type === 'text' && !only.cache_control && others.length === 0 ? only.text : content;
}

function thinkingOf({ effort, budget, show }: Reasoning): object | undefined {
  const display = show ? 'summarized' : undefined;
  if (budget !== undefined) return { type: 'enabled', budget_tokens: budget, display };
  if (effort === 'none') return { type: 'disabled' };
  return effort && { type: 'adaptive', display };
}
