import type { Sent } from '../../conversation/history.ts';
import {
  type AnswerPart,
  callsOf,
  type MediaPart,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  textOf,
} from '../../conversation/part.ts';
import { parsedSchema, type Settings, toolChoiceOf } from '../../conversation/settings.ts';
import {
  type Ask,
  dataUrl,
  defined,
  resultText,
  sentIf,
  soundFormat,
  type WireFormat,
  type WireRequest,
} from '../format.ts';

export function buildChat(format: WireFormat, { model, turns, settings }: Ask): WireRequest {
  const sent = <Name extends Parameters<typeof sentIf>[2]>(name: Name) => sentIf(format, settings, name);
  const messages = turns.flatMap(turn =>
    turn.role === 'user' ? userMessages(turn) : [assistantMessage(turn.parts)],
  );
  const { system, tools } = settings;
  return {
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { 'content-type': 'application/json' },
    credential: { header: 'authorization', prefix: 'Bearer ' },
    body: defined({
      model,
      messages: system ? [{ role: 'system', content: system }, ...messages] : messages,
      stream: true,
      stream_options: { include_usage: true },
      temperature: sent('temperature'),
      top_p: sent('topP'),
      max_tokens: sent('maxTokens'),
      stop: sent('stop'),
      seed: sent('seed'),
      presence_penalty: sent('presencePenalty'),
      frequency_penalty: sent('frequencyPenalty'),
      reasoning_effort: sent('effort'),
      tools: tools.length > 0 ? tools.map(toolOf) : undefined,
      tool_choice: toolChoice(settings),
      parallel_tool_calls: tools.length > 0 ? sent('parallelToolCalls') : undefined,
      response_format: responseFormat(settings),
    }),
  };
}

function userMessages({ parts }: Extract<Sent, { role: 'user' }>): object[] {
  const results = parts.flatMap(part =>
    part.type === 'tool-result'
      ? [{ role: 'tool', tool_call_id: part.callId, content: resultText(part) }]
      : [],
  );
  const said = parts.filter(part => part.type !== 'tool-result');
  if (said.length === 0) return results;
  return [...results, { role: 'user', content: contentOf(said) }];
}

function contentOf(parts: readonly (TextPart | MediaPart)[]): string | object[] {
  const [only, ...others] = parts;
  if (only?.type === 'text' && others.length === 0) return only.text;
  return parts.map(part => (part.type === 'text' ? { type: 'text', text: part.text } : media(part)));
}

function media(part: MediaPart): object {
  if (part.kind === 'image') return { type: 'image_url', image_url: { url: dataUrl(part) } };
  if (part.kind === 'audio')
    return { type: 'input_audio', input_audio: { data: part.data, format: soundFormat(part) ?? 'wav' } };
  return { type: 'file', file: { filename: part.name, file_data: dataUrl(part) } };
}

function assistantMessage(parts: readonly AnswerPart[]): object {
  const calls = callsOf(parts);
  const texts = parts.filter(part => part.type === 'text');
  const refusal = textOf(parts.filter(part => part.type === 'refusal'));
  return defined({
    role: 'assistant',
    content: texts.length > 0 ? textOf(texts) : null,
    refusal: refusal || undefined,
    ...reasoning(parts, calls.length > 0),
    tool_calls: calls.length > 0 ? calls.map(call) : undefined,
  });
}

/** Reasoning goes back as signed blocks, or as text where calls follow it and the chat format brought it: some models demand that. */
function reasoning(parts: readonly AnswerPart[], called: boolean): object {
  const own = parts.filter(
    (part): part is ReasoningPart => part.type === 'reasoning' && part.seal?.format === 'chat',
  );
  const blocks = own.flatMap(({ seal }) => (seal?.value === null || !seal ? [] : [seal.value]));
  if (blocks.length > 0) return { thinking_blocks: blocks };
  const text = own.map(({ text }) => text).join('');
  return called && text ? { reasoning_content: text } : {};
}

function call({ id, name, arguments: text, seal }: ToolCallPart): object {
  return {
    id,
    type: 'function',
    function: { name, arguments: text },
    ...(seal?.format === 'chat' && { extra_content: seal.value }),
  };
}

function toolOf({ name, description, schema }: Settings['tools'][number]): object {
  const fn = defined({ name, description: description || undefined, parameters: parsedSchema(schema) });
  return { type: 'function', function: fn };
}

function toolChoice(settings: Settings): unknown {
  const choice = toolChoiceOf(settings);
  return typeof choice === 'object' ? { type: 'function', function: choice } : choice;
}

function responseFormat({ output, outputSchema, outputName }: Settings): object | undefined {
  if (output === 'json') return { type: 'json_object' };
  if (output === 'text') return undefined;
  const schema = parsedSchema(outputSchema) ?? {};
  return { type: 'json_schema', json_schema: { name: outputName, schema } };
}
