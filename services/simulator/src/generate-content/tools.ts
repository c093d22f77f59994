import type { Prompt, Tool, ToolChoice } from '../responder/prompt.ts';
import type { GenerateRequest } from './request.ts';
import { jsonSchemaOf } from './schema.ts';
import { badRequest } from './validation-error.ts';

/** Reads the functions and the calling mode. @throws ApiError */
export function readTools(request: GenerateRequest): Pick<Prompt, 'tools' | 'toolChoice' | 'parallel'> {
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
    const own = parameters ? jsonSchemaOf(parameters) : undefined;
    return { kind: 'function', name, description: description ?? '', parameters: own ?? json };
  });
}

function checkChoice(tools: Tool[], mode: string, allowed: string[]): void {
  if (mode === 'ANY' && tools.length === 0)
    throw badRequest('Function calling config is set without function_declarations.');
  if (allowed.length === 0) return;
  if (mode !== 'ANY' && mode !== 'VALIDATED')
    throw badRequest(
      'allowed_function_names should only be set when the function calling mode is ANY or VALIDATED.',
    );
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
