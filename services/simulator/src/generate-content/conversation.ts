import { hash } from 'node:crypto';
import {
  type Conversation,
  calledAs,
  functionTool,
  type Prompt,
  type Tool,
  type ToolChoice,
  type ToolResult,
  type Tools,
} from '../responder/prompt.ts';
import { callsOf, resultsOf } from './checks.ts';
import type { Content, FunctionResponse, GenerateRequest, Part } from './request.ts';
import { jsonSchemaOf } from './schema.ts';
import { badRequest } from './validation-error.ts';

export function readConversation({ contents, systemInstruction, tools }: GenerateRequest): Conversation {
  const instructions = (systemInstruction?.parts ?? []).map(({ text }) => text).join('\n');
  const question = contents.findLast(content => content.role !== 'model' && textOf(content));
  const lines = contents.map(
    content => `${content.role ?? 'user'}: ${content.parts.map(partText).join('\n')}`,
  );
  return {
    instructions,
    question: question ? textOf(question) : '',
    results: readResults(contents),
    context: [
      ...(tools?.length ? [JSON.stringify(tools)] : []),
      ...(instructions ? [`system: ${instructions}`] : []),
      ...lines,
    ].join('\n'),
    media: mediaOf(contents),
  };
}

function textOf({ parts }: Content): string {
  return parts.flatMap(({ text, thought }) => (text && !thought ? [text] : [])).join('\n');
}

function partText(part: Part): string {
  if (part.text !== undefined && part.text !== null) return part.text;
  if (part.functionCall) return `${part.functionCall.name}(${JSON.stringify(part.functionCall.args ?? {})})`;
  if (part.functionResponse) return resultText(part.functionResponse);
  const { thoughtSignature: _signature, ...data } = part;
  // Media is counted apart, but different media must differ in the context.
  return `[${hash('sha1', JSON.stringify(data)).slice(0, 8)}]`;
}

function resultText({ response }: FunctionResponse): string {
  const { output, error } = response;
  if (error !== undefined) return `the error ${textual(error)}`;
  return textual(output ?? response);
}

function textual(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The results in the last content, each with the call that it answers. */
function readResults(contents: Content[]): ToolResult[] {
  const [before, last] = contents.slice(-2);
  if (!before || !last) return [];
  const calls = callsOf(before);
  return resultsOf(last).map((result, at) => {
    const call = calls.find(({ id }) => id && id === result.id) ?? calls[at];
    return { call: calledAs(result.name, JSON.stringify(call?.args ?? {})), text: resultText(result) };
  });
}

function mediaOf(contents: Content[]): Prompt['media'] {
  const parts = contents.flatMap(content => content.parts);
  const all = [...parts, ...parts.flatMap(({ functionResponse }) => functionResponse?.parts ?? [])];
  const types = all.flatMap(({ inlineData, fileData }) =>
    inlineData || fileData ? [inlineData?.mimeType ?? fileData?.mimeType ?? ''] : [],
  );
  const images = types.filter(type => type.startsWith('image/')).length;
  const audio = types.filter(type => type.startsWith('audio/')).length;
  return { images, audio, files: types.length - images - audio };
}

/** Reads the functions and the calling mode. @throws ApiError */
export function readTools(request: GenerateRequest): Tools {
  const tools = declared(request);
  const config = request.toolConfig?.functionCallingConfig;
  const mode = config?.mode ?? 'AUTO';
  const allowed = config?.allowedFunctionNames ?? [];
  checkChoice(tools, mode, allowed);
  const kept = allowed.length > 0 ? tools.filter(({ name }) => allowed.includes(name)) : tools;
  return { tools: kept, toolChoice: choiceOf(mode, allowed), parallel: true };
}

function declared({ tools }: GenerateRequest): Tool[] {
  const declarations = (tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? []);
  const seen = new Set<string>();
  return declarations.map(({ name, description, parameters, parametersJsonSchema: json }) => {
    if (seen.has(name)) throw badRequest(`Duplicate function declaration found: ${name}`);
    if (parameters && json !== undefined && json !== null)
      throw badRequest(`Function '${name}': parameters and parameters_json_schema are mutually exclusive.`);
    seen.add(name);
    return functionTool(name, description, parameters ? jsonSchemaOf(parameters) : json);
  });
}

function checkChoice(tools: Tool[], mode: string, allowed: string[]): void {
  if (mode === 'ANY' && tools.length === 0)
    throw badRequest('Function calling config is set without function_declarations.');
  if (allowed.length === 0) return;
  if (mode !== 'ANY' && mode !== 'VALIDATED')
    throw badRequest('allowed_function_names is only valid with the function calling mode ANY or VALIDATED.');
  const missing = allowed.find(name => !tools.some(tool => tool.name === name));
  if (missing !== undefined)
    throw badRequest(`allowed_function_names '${missing}' is not found in function_declarations.`);
}

function choiceOf(mode: string, allowed: string[]): ToolChoice {
  if (mode === 'NONE') return 'none';
  if (mode !== 'ANY') return 'auto';
  const [only, ...more] = allowed;
  return only !== undefined && more.length === 0 ? { name: only } : 'required';
}
