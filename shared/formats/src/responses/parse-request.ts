import type { GenerateRequest, Output, Reasoning, Tool } from '@model-gateway/canonical';
import { effortWish } from '../chat/reasoning.ts';
import { translatedFields } from '../client/endpoint.ts';
import { readPlain } from '../client/parsed-request.ts';
import { responsesFields } from './fields.ts';
import type { ResponsesFormat, ResponsesInputItem, ResponsesReasoning, ResponsesTool } from './input.ts';
import { invalid, unsupported } from './invalid.ts';
import { parseItems } from './parse-items.ts';
import type { ToolNames } from './parse-tools.ts';
import { allowedTools, parseToolChoice, parseTools } from './parse-tools.ts';
import type { ResponsesTranslatable } from './request.ts';

/** Fields that the canonical request covers, or that the gateway handles itself. */
const translated = translatedFields(
  responsesFields,
  ...['model', 'stream', 'stream_options', 'instructions', 'include', 'store', 'background'],
  ...['previous_response_id', 'conversation'],
);

/**
 * Parses the canonical request and registers its tools in `names`.
 * @throws GatewayError of kind `invalid-request`
 */
export function parseGenerate(body: ResponsesTranslatable, names: ToolNames): GenerateRequest {
  const items = body.input ?? [];
  const { text, reasoning } = settings(body, items);
  const tools = parseTools([...(body.tools ?? []), ...items.flatMap(toolsInHistory)], names);
  const messages = parseItems(items, body.instructions);
  if (messages.length === 0)
    throw invalid('input', "Invalid 'input': empty array. Expected at least 1 item.", 'empty_array');
  const offered = allowedTools(body.tool_choice, tools);
  rejectUnsupported(body, offered);
  return {
    messages,
    tools: offered.length > 0 ? offered : undefined,
    toolChoice: body.tool_choice ? parseToolChoice(body.tool_choice, names) : undefined,
    parallelToolCalls: body.parallel_tool_calls ?? undefined,
    maxTokens: body.max_output_tokens ?? undefined,
    ...readPlain(responsesFields, body),
    presencePenalty: body.presence_penalty ?? undefined,
    frequencyPenalty: body.frequency_penalty ?? undefined,
    reasoning: reasoning ? parseReasoning(reasoning) : undefined,
    output: text?.format ? parseOutput(text.format) : undefined,
    verbosity: text?.verbosity ?? undefined,
    logprobs: logprobs(body),
    serviceTier: body.service_tier ?? undefined,
    user: body.safety_identifier ?? body.user ?? undefined,
    extensions: extensions(body),
  };
}

type Settings = Pick<ResponsesTranslatable, 'reasoning' | 'text'>;

/** Applies the configuration updates in the history. */
function settings({ reasoning, text }: Settings, items: readonly ResponsesInputItem[]): Settings {
  const updates = items.filter(item => item.type === 'configuration_update');
  if (updates.length === 0) return { reasoning, text };
  const current = { reasoning: { ...reasoning }, text: { ...text } };
  for (const update of updates) {
    Object.assign(current.reasoning, update.reasoning);
    Object.assign(current.text, update.text);
  }
  return current;
}

/** Returns the tools that an item of the history adds. */
function toolsInHistory(item: ResponsesInputItem): ResponsesTool[] {
  if (item.type === 'additional_tools') return item.tools;
  return item.type === 'tool_search_output' && item.execution !== 'server' ? item.tools : [];
}

function parseReasoning({
  effort,
  summary,
  generate_summary: older,
}: ResponsesReasoning): Reasoning | undefined {
  const show = (summary ?? older) ? { show: true } : {};
  return effort || show.show ? { ...effortWish(effort), ...show } : undefined;
}

function parseOutput(format: ResponsesFormat): Output {
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json_object':
      return { type: 'json' };
    case 'json_schema': {
      const { schema, name, strict } = format;
      return { type: 'schema', schema, name, strict: strict ?? undefined };
    }
  }
}

function logprobs({ include, top_logprobs: top }: ResponsesTranslatable): GenerateRequest['logprobs'] {
  if (!top && !include?.includes('message.output_text.logprobs')) return undefined;
  return top ? { top } : {};
}

/** @throws GatewayError for settings that upstreams of other formats cannot honor */
function rejectUnsupported(
  { prompt, max_tool_calls: most, moderation, context_management: management }: ResponsesTranslatable,
  tools: readonly Tool[],
): void {
  if (moderation) throw unsupported('moderation', "this model's provider does not moderate its answers");
  if (management?.some(({ type }) => type === 'compaction'))
    throw unsupported('context_management', "this model's provider does not compact conversations");
  if (prompt) throw unsupported('prompt', "this model's provider does not support stored prompts");
  if (most && tools.some(({ type }) => type === 'web-search'))
    throw unsupported('max_tool_calls', "this model's provider cannot limit calls of its built-in tools");
}

/** Returns the fields that only this format has. */
function extensions(body: ResponsesTranslatable): GenerateRequest['extensions'] {
  const rest = Object.entries(body).filter(([key, value]) => !translated.has(key) && value != null);
  return rest.length > 0 ? { responses: Object.fromEntries(rest) } : undefined;
}
