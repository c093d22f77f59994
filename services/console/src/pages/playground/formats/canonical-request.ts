import type { AssistantPart, GenerateRequest, Message } from '@model-gateway/formats/browser';
import type { Sent } from '../conversation/history.ts';
import type { AnswerPart, FormatName, QuestionPart } from '../conversation/part.ts';
import { parsedSchema, type Settings } from '../conversation/settings.ts';
import { type Ask, sentSettings, type WireFormat } from './format.ts';

/** The parts that a format writes in a way of its own; undefined for a part that is written as in any format. */
export type OwnParts = (part: QuestionPart | AnswerPart, turn: Sent) => AssistantPart[] | undefined;

/** Makes the canonical request of what is asked, with the parameters that the format has. */
export function canonicalRequest(
  format: WireFormat,
  { turns, settings }: Ask,
  own: OwnParts = () => undefined,
  idOf = (id: string) => id,
): GenerateRequest {
  const { system, tools } = settings;
  const { effort, reasoningBudget: budget, ...parameters } = sentSettings(format, settings);
  const write = (part: QuestionPart | AnswerPart, turn: Sent) =>
    own(part, turn) ?? canonicalPart(part, format.name, idOf);
  const said = turns.flatMap(turn => messagesOf(turn, part => write(part, turn), idOf));
  return {
    messages: system ? [{ role: 'system', content: [{ type: 'text', text: system }] }, ...said] : said,
    tools: tools.map(({ name, description, schema }) => ({
      ...{ type: 'function', name, parameters: parsedSchema(schema) },
      ...(description && { description }),
    })),
    toolChoice: choiceOf(settings),
    ...parameters,
    reasoning: reasoningOf(effort, budget),
    output: outputOf(settings),
  };
}

function reasoningOf(effort: Settings['effort'], budget: number | undefined): GenerateRequest['reasoning'] {
  if (budget !== undefined) return { budget, show: budget > 0 };
  return effort && { effort, show: effort !== 'none' };
}

function choiceOf({ toolChoice, tools }: Settings): GenerateRequest['toolChoice'] {
  if (!toolChoice || tools.length === 0) return undefined;
  return toolChoice.startsWith('tool:')
    ? { type: 'tool', name: toolChoice.slice('tool:'.length) }
    : { type: toolChoice as 'auto' | 'none' | 'required' };
}

function outputOf({ output, outputSchema, outputName: name }: Settings): GenerateRequest['output'] {
  if (output === 'json') return { type: 'json' };
  return output === 'text' ? undefined : { type: 'schema', name, schema: parsedSchema(outputSchema) ?? {} };
}

/** Results of tools come before what the user says. */
function messagesOf(
  { role, parts }: Sent,
  write: (part: QuestionPart | AnswerPart) => AssistantPart[],
  idOf: (id: string) => string,
): Message[] {
  const results = parts.flatMap(part => {
    if (part.type !== 'tool-result') return [];
    const content = [{ type: 'text' as const, text: part.text }];
    return { type: part.type, callId: idOf(part.callId), content, error: part.isError };
  });
  const content = parts.flatMap(write);
  const said = content.length > 0 ? [{ role, content } as Message] : [];
  return results.length > 0 ? [{ role: 'tool', content: results }, ...said] : said;
}

/** Extras of a part in another format are not sent, nor is reasoning that the format did not seal. */
function canonicalPart(
  part: QuestionPart | AnswerPart,
  format: FormatName,
  idOf: (id: string) => string,
): AssistantPart[] {
  const seal = 'seal' in part && part.seal?.format === format ? part.seal.value : undefined;
  const signed = seal !== undefined && { signature: { format, value: String(seal) } };
  switch (part.type) {
    case 'text':
      return part.text === '' && !signed ? [] : [{ type: 'text', text: part.text, ...signed }];
    case 'refusal':
      return [part];
    case 'media': {
      const { kind, name, mediaType, data } = part;
      return [{ type: 'media', kind, name, mediaType, source: { type: 'base64', data } }];
    }
    case 'reasoning':
      return seal === undefined ? [] : [{ type: 'opaque', format, value: Object(seal) }];
    case 'tool-call':
      return [
        { type: 'tool-call', id: idOf(part.id), name: part.name, arguments: part.arguments, ...signed },
      ];
    case 'tool-result':
      return [];
  }
}
