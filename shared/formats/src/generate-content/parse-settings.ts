import {
  extrasOf,
  type GenerateRequest,
  type HostedTool,
  type Output,
  type Reasoning,
  type RequestExtras,
  type Tool,
  type ToolChoice,
  webSearchTool,
} from '@model-gateway/canonical';
import { isJsonObject, omitNullish } from '@model-gateway/json';
import { clientTools } from '../client/client-tools.ts';
import { type TranslatedFields, translatedFields } from '../client/endpoint.ts';
import { readPlain } from '../client/parsed-request.ts';
import { readValue } from '../values/value-table.ts';
import { callingModes, enumName, generateContentSchemaTypes, thinkingLevels } from './enums.ts';
import { generateContentConfig, generateContentFields } from './fields.ts';
import { invalid } from './format.ts';
import type {
  GenerateContentFunctionDeclaration,
  GenerateContentGenerationConfig,
  GenerateContentThinkingConfig,
  GenerateContentTool,
  GenerateContentTranslatable,
} from './request.ts';

type Settings = Omit<GenerateRequest, 'messages' | 'tools' | 'toolChoice'>;

/**
 * Parses everything but the conversation and its tools.
 * @throws GatewayError for settings that cannot be translated
 */
export function parseSettings(body: GenerateContentTranslatable): Settings {
  const config = body.generationConfig ?? {};
  refuseStored(body);
  const settings: { [K in keyof Settings]: Settings[K] | null } = {
    ...readPlain({ plain: generateContentConfig }, config),
    reasoning: config.thinkingConfig && parseReasoning(config.thinkingConfig),
    output: parseOutput(config),
    logprobs: config.responseLogprobs ? { top: config.logprobs ?? undefined } : undefined,
    modalities: config.responseModalities?.map(modality => modality.toLowerCase()),
    serviceTier: parseTier(body.serviceTier),
    extensions: extensions(body, config),
  };
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as Settings;
}

/** @throws GatewayError for content stored at the vendor, which no other vendor can read */
function refuseStored(body: GenerateContentTranslatable): void {
  for (const field of ['cachedContent', 'continuationToken'] as const)
    if (body[field]) throw invalid(field, "it is stored at another vendor than this model's provider");
}

function parseReasoning(config: GenerateContentThinkingConfig): Reasoning | undefined {
  const { includeThoughts, thinkingBudget: budget, thinkingLevel } = config;
  const level = thinkingLevel === 'THINKING_LEVEL_UNSPECIFIED' ? null : thinkingLevel;
  const path = 'generationConfig.thinkingConfig';
  const hasBudget = budget !== null && budget !== undefined;
  if (level && hasBudget) throw invalid(path, 'only one of thinkingBudget and thinkingLevel can be set');
  const show = { show: includeThoughts === true };
  if (level) {
    const effort = readValue(thinkingLevels, level);
    if (!effort)
      throw invalid(`${path}.thinkingLevel`, `expected one of ${Object.values(thinkingLevels).join(', ')}`);
    return { effort, ...show };
  }
  if (budget === 0) return { effort: 'none' };
  if (hasBudget && budget > 0) return { budget, ...show };
  // Requested thoughts imply reasoning, with adaptive effort.
  return hasBudget || includeThoughts ? { adaptive: true, ...show } : undefined;
}

function parseOutput({ responseFormat, ...single }: GenerateContentGenerationConfig): Output | undefined {
  const config = responseFormat ? { ...single, ...formatOf(responseFormat) } : single;
  const { responseMimeType: type, responseSchema } = config;
  const json = config.responseJsonSchema ?? config._responseJsonSchema ?? undefined;
  if (responseSchema && json !== undefined)
    throw invalid('generationConfig', 'only one of responseSchema and responseJsonSchema can be set');
  if (type === 'text/x.enum')
    throw invalid(
      'generationConfig.responseMimeType',
      "this model's provider supports only text/plain and application/json",
    );
  const schema = responseSchema ? jsonSchema(responseSchema) : json;
  if (schema === undefined) return type === 'application/json' ? { type: 'json' } : undefined;
  if (type !== 'application/json')
    throw invalid('generationConfig.responseMimeType', 'a response schema needs application/json');
  if (!isJsonObject(schema)) throw invalid('generationConfig.responseJsonSchema', 'expected an object');
  return { type: 'schema', schema };
}

const formatField = 'generationConfig.responseFormat';

/** Returns the older fields for a list of formats, which may have one for text. @throws GatewayError for any other */
function formatOf(
  formats: NonNullable<GenerateContentGenerationConfig['responseFormat']>,
): Pick<GenerateContentGenerationConfig, 'responseMimeType' | 'responseJsonSchema'> {
  const [format, ...more] = formats;
  if (!format) return {};
  const { text, ...others } = format;
  const other = Object.keys(omitNullish(others))[0];
  if (more.length > 0 || other !== undefined || !text)
    throw invalid(formatField, `this model's provider takes one format, for text`);
  const { mimeType, schema } = text;
  const hasSchema = schema !== undefined && schema !== null;
  // The SDK's enum spells the type so.
  const type = mimeType === 'APPLICATION_JSON' ? 'application/json' : mimeType;
  return {
    responseMimeType: type ?? (hasSchema ? 'application/json' : undefined),
    ...(hasSchema && { responseJsonSchema: schema }),
  };
}

function parseTier(tier: string | null | undefined): string | undefined {
  const name = tier?.toLowerCase();
  return name === 'standard' ? 'default' : name || undefined;
}

/** Fields that other formats have, too, under all their names. */
const translated = translatedFields(
  generateContentFields,
  ...['model', 'serviceTier', 'generationConfig.logprobs', 'generationConfig.responseSchema'],
  ...['generationConfig._responseJsonSchema', 'generationConfig.responseFormat'],
);

/** Returns the fields, and members of `toolConfig` and `generationConfig`, that only this format has. */
function extensions(
  body: GenerateContentTranslatable,
  config: GenerateContentGenerationConfig,
): GenerateRequest['extensions'] {
  const { functionCallingConfig: _, ...toolConfig } = body.toolConfig ?? {};
  const extension = {
    ...without(body, translated),
    toolConfig: without(toolConfig),
    generationConfig: without(config, translated.get('generationConfig')),
  };
  const entries = Object.entries(extension).filter(([, value]) => !isEmpty(value));
  return entries.length > 0 ? { 'generate-content': Object.fromEntries(entries) } : undefined;
}

function without(fields: object, names?: Pick<TranslatedFields, 'has'>): Record<string, unknown> {
  const rest = Object.entries(fields).filter(
    ([name, value]) => !names?.has(name) && value !== null && value !== undefined,
  );
  return Object.fromEntries(rest);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Members of a tool that the client runs. */
const clientToolFields: ReadonlySet<string> = new Set(['functionDeclarations', 'computerUse']);
/** Tools that search the web, and those of them that a target of another format has, too. */
const searches: ReadonlySet<string> = new Set([
  'googleSearch',
  'googleSearchRetrieval',
  'enterpriseWebSearch',
]);
const sharedSearches: ReadonlySet<string> = new Set(['googleSearch', 'googleSearchRetrieval']);

/** Returns the tools that the upstream runs, and the service tier. */
export function parseExtras({ tools, serviceTier }: Record<string, unknown>): { extras?: RequestExtras } {
  const hosted: HostedTool[] = [];
  for (const tool of Array.isArray(tools) ? tools : [])
    for (const [key, value] of Object.entries(isJsonObject(tool) ? tool : {})) {
      if (value === null || value === undefined || clientToolFields.has(key)) continue;
      const name = searches.has(key) ? webSearchTool : snakeCased(key);
      hosted.push({ name, field: 'tools', ...(!sharedSearches.has(key) && { own: true as const }) });
    }
  const tier = typeof serviceTier === 'string' ? serviceTier.toLowerCase() : undefined;
  return extrasOf('generate-content', hosted, tier);
}

function snakeCased(key: string): string {
  return key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

type ToolSettings = Pick<GenerateRequest, 'tools' | 'toolChoice'>;

/** Parses the tools and how the model may call them. */
export function parseToolSettings({
  tools,
  toolConfig,
}: Pick<GenerateContentTranslatable, 'tools' | 'toolConfig'>): ToolSettings {
  const choice = parseChoice(toolConfig?.functionCallingConfig ?? {});
  return {
    ...(tools?.length && { tools: clientTools(tools.flatMap(parseTool)) }),
    ...(choice && { toolChoice: choice }),
  };
}

/** Parses one entry, which may hold functions and several tools that the vendor runs. */
function parseTool({ functionDeclarations, ...vendorRun }: GenerateContentTool): Tool[] {
  const functions = (functionDeclarations ?? []).map(parseFunction);
  const others = Object.entries(vendorRun).filter(([, value]) => value !== null && value !== undefined);
  return [...functions, ...others.map(([name, value]) => vendorTool(name, { [name]: value }))];
}

function parseFunction({
  name,
  description,
  parameters,
  parametersJsonSchema: json,
}: GenerateContentFunctionDeclaration): Tool {
  const schema = parameters ? jsonSchema(parameters) : json;
  return {
    type: 'function',
    name,
    ...(description && { description }),
    ...(isJsonObject(schema) && { parameters: schema }),
  };
}

function vendorTool(name: string, value: Record<string, unknown>): Tool {
  const own = { format: 'generate-content', value } as const;
  const isSearch = name === 'googleSearch' || name === 'googleSearchRetrieval';
  return isSearch ? { type: 'web-search', own } : { type: 'opaque', ...own };
}

type CallingConfig = NonNullable<
  NonNullable<GenerateContentTranslatable['toolConfig']>['functionCallingConfig']
>;

function parseChoice({ mode, allowedFunctionNames: allowed }: CallingConfig): ToolChoice | undefined {
  const names = allowed ?? [];
  const some = names.length > 0;
  if (some && mode !== 'ANY' && mode !== 'VALIDATED')
    throw invalid(
      'toolConfig.functionCallingConfig.allowedFunctionNames',
      'names are allowed only in the modes ANY and VALIDATED',
    );
  const [only, ...more] = names;
  if (mode === 'ANY' && only !== undefined && more.length === 0) return { type: 'tool', name: only };
  const type = mode === 'VALIDATED' ? 'auto' : readValue(callingModes, mode);
  return type && { type, ...(some && { names }) };
}

type Schema = Record<string, unknown>;

/**
 * Converts a schema of Google's dialect to JSON Schema: types in lower case, `nullable` as the type `null`,
 * and counts that are strings as numbers.
 */
export function jsonSchema(googleSchema: Schema): Schema {
  const { nullable, propertyOrdering: _, example, ...rest } = googleSchema;
  const schema = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, member(name, value)]));
  const examples = example === undefined || example === null ? {} : { examples: [example] };
  return { ...(nullable === true ? orNull(schema) : schema), ...examples };
}

function member(name: string, value: unknown): unknown {
  if (name === 'type') return Array.isArray(value) ? value.map(lowerCase) : lowerCase(value);
  if (/^(min|max)[A-Z]/.test(name) && typeof value === 'string') return Number(value);
  if (name === 'items') return nested(value);
  if (name === 'anyOf' && Array.isArray(value)) return value.map(nested);
  if (name === 'properties' && isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([property, inner]) => [property, nested(inner)]));
  return value;
}

function lowerCase(type: unknown): unknown {
  const name = enumName(generateContentSchemaTypes, type);
  return typeof name === 'string' ? name.toLowerCase() : name;
}

function nested(value: unknown): unknown {
  return isJsonObject(value) ? jsonSchema(value) : value;
}

function orNull(schema: Schema): Schema {
  const { type, anyOf, enum: values } = schema;
  return {
    ...schema,
    ...(type !== undefined && type !== 'null' && { type: [type, 'null'] }),
    ...(Array.isArray(anyOf) && { anyOf: [...anyOf, { type: 'null' }] }),
    ...(Array.isArray(values) && { enum: [...values, null] }),
  };
}
