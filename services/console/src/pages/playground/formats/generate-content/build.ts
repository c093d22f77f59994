import type { AnswerPart, QuestionPart, Seal } from '../../conversation/part.ts';
import { parsedSchema, type Settings, toolChoiceOf } from '../../conversation/settings.ts';
import { type Ask, defined, parsedArguments, sentIf, type WireFormat, type WireRequest } from '../format.ts';
import { isOwnId } from './own-id.ts';

export function buildGenerateContent(format: WireFormat, { model, turns, settings }: Ask): WireRequest {
  const { system, tools } = settings;
  const config = generationConfig(format, settings);
  return {
    method: 'POST',
    path: `/v1beta/models/${model.split('/').map(encodeURIComponent).join('/')}:streamGenerateContent?alt=sse`,
    headers: { 'content-type': 'application/json' },
    credential: { header: 'x-goog-api-key', prefix: '' },
    body: defined({
      systemInstruction: system ? { parts: [{ text: system }] } : undefined,
      contents: turns.map(({ role, parts }) => ({
        role: role === 'user' ? 'user' : 'model',
        parts: (parts as (QuestionPart | AnswerPart)[]).flatMap(partOf),
      })),
      tools: tools.length > 0 ? [{ functionDeclarations: tools.map(toolOf) }] : undefined,
      toolConfig: toolConfig(settings),
      generationConfig: Object.keys(config).length > 0 ? config : undefined,
    }),
  };
}

function partOf(part: QuestionPart | AnswerPart): object[] {
  switch (part.type) {
    case 'text':
      return part.text === '' && !part.seal ? [] : [{ text: part.text, ...signature(part.seal) }];
    case 'refusal':
      return [{ text: part.text }];
    case 'media':
      return [{ inlineData: { mimeType: part.mediaType, data: part.data } }];
    case 'reasoning':
      // A summary of the reasoning is not sent back; its signature is on the part after it.
      return [];
    case 'tool-call': {
      const call = { ...idOf(part.id), name: part.name, args: parsedArguments(part.arguments) };
      return [{ functionCall: call, ...signature(part.seal) }];
    }
    case 'tool-result': {
      const response = { [part.isError ? 'error' : 'output']: part.text };
      return [{ functionResponse: { ...idOf(part.callId), name: part.name, response } }];
    }
  }
}

function idOf(id: string): { id?: string } {
  return isOwnId(id) ? {} : { id };
}

function signature(seal: Seal | undefined): object {
  return seal?.format === 'generate-content' ? { thoughtSignature: seal.value } : {};
}

function generationConfig(format: WireFormat, settings: Settings): Record<string, unknown> {
  const sent = <Name extends Parameters<typeof sentIf>[2]>(name: Name) => sentIf(format, settings, name);
  const { output, outputSchema } = settings;
  return defined({
    temperature: sent('temperature'),
    topP: sent('topP'),
    topK: sent('topK'),
    maxOutputTokens: sent('maxTokens'),
    stopSequences: sent('stop'),
    seed: sent('seed'),
    presencePenalty: sent('presencePenalty'),
    frequencyPenalty: sent('frequencyPenalty'),
    thinkingConfig: thinkingConfig(sent('effort'), sent('reasoningBudget')),
    responseMimeType: output === 'text' ? undefined : 'application/json',
    responseJsonSchema: output === 'schema' ? (parsedSchema(outputSchema) ?? {}) : undefined,
  });
}

function thinkingConfig(effort: Settings['effort'], budget: number | undefined): object | undefined {
  if (budget !== undefined) return { thinkingBudget: budget, includeThoughts: budget > 0 };
  if (effort === 'none') return { thinkingBudget: 0 };
  return effort && { thinkingLevel: effort.toUpperCase(), includeThoughts: true };
}

function toolOf({ name, description, schema }: Settings['tools'][number]): object {
  return defined({
    name,
    description: description || undefined,
    parametersJsonSchema: parsedSchema(schema),
  });
}

const modes: Record<string, string> = { auto: 'AUTO', none: 'NONE', required: 'ANY' };

function toolConfig(settings: Settings): object | undefined {
  const choice = toolChoiceOf(settings);
  if (!choice) return undefined;
  const functionCallingConfig =
    typeof choice === 'object'
      ? { mode: 'ANY', allowedFunctionNames: [choice.name] }
      : { mode: modes[choice] };
  return { functionCallingConfig };
}
