import type { AnswerPart, MediaPart, QuestionPart } from '../../conversation/part.ts';
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

export function buildResponses(format: WireFormat, { model, turns, settings }: Ask): WireRequest {
  const sent = <Name extends Parameters<typeof sentIf>[2]>(name: Name) => sentIf(format, settings, name);
  const { system, tools } = settings;
  const effort = sent('effort');
  return {
    method: 'POST',
    path: '/v1/responses',
    headers: { 'content-type': 'application/json' },
    credential: { header: 'authorization', prefix: 'Bearer ' },
    body: defined({
      model,
      instructions: system || undefined,
      input: turns.flatMap(({ role, parts }) => (role === 'user' ? userItems(parts) : answerItems(parts))),
      stream: true,
      store: false,
      temperature: sent('temperature'),
      top_p: sent('topP'),
      max_output_tokens: sent('maxTokens'),
      reasoning: effort && (effort === 'none' ? { effort } : { effort, summary: 'auto' }),
      // Without storage, reasoning can only be sent back encrypted.
      include: effort && effort !== 'none' ? ['reasoning.encrypted_content'] : undefined,
      tools: tools.length > 0 ? tools.map(toolOf) : undefined,
      tool_choice: toolChoice(settings),
      parallel_tool_calls: tools.length > 0 ? sent('parallelToolCalls') : undefined,
      text: textFormat(settings),
    }),
  };
}

function userItems(parts: readonly QuestionPart[]): object[] {
  const results = parts.flatMap(part =>
    part.type === 'tool-result'
      ? [{ type: 'function_call_output', call_id: part.callId, output: resultText(part) }]
      : [],
  );
  const content = parts.flatMap(part => {
    if (part.type === 'tool-result') return [];
    return [part.type === 'text' ? { type: 'input_text', text: part.text } : media(part)];
  });
  return content.length > 0 ? [...results, { role: 'user', content }] : results;
}

function media(part: MediaPart): object {
  if (part.kind === 'image') return { type: 'input_image', image_url: dataUrl(part) };
  if (part.kind === 'audio')
    return { type: 'input_audio', input_audio: { data: part.data, format: soundFormat(part) ?? 'wav' } };
  return { type: 'input_file', filename: part.name, file_data: dataUrl(part) };
}

function answerItems(parts: readonly AnswerPart[]): object[] {
  return parts.flatMap(itemOf);
}

function itemOf(part: AnswerPart): object[] {
  switch (part.type) {
    case 'text':
      if (part.text === '') return [];
      return [{ role: 'assistant', content: [{ type: 'output_text', text: part.text }] }];
    case 'refusal':
      return [{ role: 'assistant', content: [{ type: 'refusal', refusal: part.text }] }];
    case 'reasoning':
      return part.seal?.format === 'responses' ? [part.seal.value as object] : [];
    case 'tool-call': {
      const { id, name, arguments: text } = part;
      return [{ type: 'function_call', call_id: id, name, arguments: text || '{}' }];
    }
    case 'media':
      return [];
  }
}

function toolOf({ name, description, schema }: Settings['tools'][number]): object {
  const parameters = parsedSchema(schema) ?? null;
  return defined({
    type: 'function',
    name,
    description: description || undefined,
    parameters,
    strict: false,
  });
}

function toolChoice(settings: Settings): unknown {
  const choice = toolChoiceOf(settings);
  return typeof choice === 'object' ? { type: 'function', ...choice } : choice;
}

function textFormat({ output, outputSchema, outputName }: Settings): object | undefined {
  if (output === 'text') return undefined;
  if (output === 'json') return { format: { type: 'json_object' } };
  const schema = parsedSchema(outputSchema) ?? {};
  return { format: { type: 'json_schema', name: outputName, schema, strict: false } };
}
