import type { AnswerPart, MediaPart, QuestionPart } from '../../conversation/part.ts';
import { parsedSchema, type Settings, toolChoiceOf } from '../../conversation/settings.ts';
import {
  type Ask,
  defined,
  parsedArguments,
  sentIf,
  textFromBase64,
  type WireFormat,
  type WireRequest,
} from '../format.ts';

/** The limit that is sent if none is set, because the format requires one. */
export const defaultMaxTokens = 4_096;

export function buildMessages(format: WireFormat, { model, turns, settings }: Ask): WireRequest {
  const sent = <Name extends Parameters<typeof sentIf>[2]>(name: Name) => sentIf(format, settings, name);
  const { system, tools } = settings;
  const budget = sent('reasoningBudget');
  return {
    method: 'POST',
    path: '/v1/messages',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    credential: { header: 'x-api-key', prefix: '' },
    body: defined({
      model,
      max_tokens: sent('maxTokens') ?? defaultMaxTokens + (budget ?? 0),
      system: system || undefined,
      messages: turns.map(({ role, parts }) => ({
        role,
        content: contentOf(parts as (QuestionPart | AnswerPart)[]),
      })),
      stream: true,
      temperature: sent('temperature'),
      top_p: sent('topP'),
      top_k: sent('topK'),
      stop_sequences: sent('stop'),
      thinking: thinking(sent('effort'), budget),
      output_config: outputConfig(sent('effort'), settings),
      tools: tools.length > 0 ? tools.map(toolOf) : undefined,
      tool_choice: toolChoice(settings),
    }),
  };
}

function contentOf(parts: readonly (QuestionPart | AnswerPart)[]): string | object[] {
  const [only, ...others] = parts;
  if (only?.type === 'text' && others.length === 0) return only.text;
  return parts.flatMap(block);
}

function block(part: QuestionPart | AnswerPart): object[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'media':
      return [mediaBlock(part)];
    case 'reasoning':
      // The signature proves the reasoning; without it the format does not take it.
      return part.seal?.format === 'messages' ? [part.seal.value as object] : [];
    case 'tool-call':
      return [{ type: 'tool_use', id: part.id, name: part.name, input: parsedArguments(part.arguments) }];
    case 'tool-result': {
      const { callId, text, isError } = part;
      return [
        { type: 'tool_result', tool_use_id: callId, content: text, ...(isError && { is_error: true }) },
      ];
    }
  }
}

function mediaBlock({ kind, mediaType, data, name }: MediaPart): object {
  const source = { type: 'base64', media_type: mediaType, data };
  if (kind === 'image') return { type: 'image', source };
  if (mediaType === 'application/pdf') return { type: 'document', source, title: name };
  const text = { type: 'text', media_type: 'text/plain', data: textFromBase64(data) };
  return { type: 'document', source: text, title: name };
}

function thinking(effort: Settings['effort'], budget: number | undefined): object | undefined {
  if (budget !== undefined) return { type: 'enabled', budget_tokens: budget, display: 'summarized' };
  if (effort === 'none') return { type: 'disabled' };
  return effort && { type: 'adaptive', display: 'summarized' };
}

function outputConfig(effort: Settings['effort'], settings: Settings): object | undefined {
  const schema = settings.output === 'schema' ? (parsedSchema(settings.outputSchema) ?? {}) : undefined;
  const config = defined({
    effort: effort === 'none' ? undefined : effort,
    format: schema && { type: 'json_schema', schema },
  });
  return Object.keys(config).length > 0 ? config : undefined;
}

function toolOf({ name, description, schema }: Settings['tools'][number]): object {
  return defined({
    name,
    description: description || undefined,
    input_schema: parsedSchema(schema) ?? { type: 'object' },
  });
}

function toolChoice(settings: Settings): object | undefined {
  if (settings.tools.length === 0) return undefined;
  const choice = toolChoiceOf(settings);
  const parallel =
    settings.parallelToolCalls === undefined || choice === 'none'
      ? {}
      : { disable_parallel_tool_use: !settings.parallelToolCalls };
  if (typeof choice === 'object') return { type: 'tool', ...choice, ...parallel };
  if (choice) return { type: choice === 'required' ? 'any' : choice, ...parallel };
  return 'disable_parallel_tool_use' in parallel ? { type: 'auto', ...parallel } : undefined;
}
