import {
  enumName,
  generateContentBlockThresholds,
  generateContentCallingModes,
  generateContentHarmCategories,
  generateContentLevels,
  generateContentModalities,
  generateContentPartData,
  generateContentSchemaTypes,
} from '@model-gateway/formats';
import { z } from 'zod';
import type { Schema } from '../responder/json-value.ts';

/** Accepts an enum's name or its number, as protocol buffers do. */
function byNumber<T extends z.ZodType>(values: readonly string[], name: T) {
  return z.preprocess(value => enumName(values, value), name);
}

const count = z.union([z.int(), z.string().regex(/^\d+$/)]).nullish();
const text = z.string().nullish();

/** The vendor's subset of JSON Schema. */
const vendorSchema: z.ZodType<Schema> = z.lazy(() =>
  z.strictObject({
    type: byNumber(
      generateContentSchemaTypes,
      z
        .string()
        .refine(type => generateContentSchemaTypes.includes(type.toUpperCase()), { message: 'not a type' })
        .nullish(),
    ),
    format: text,
    title: text,
    description: text,
    nullable: z.boolean().nullish(),
    enum: z.array(z.string()).nullish(),
    items: vendorSchema.nullish(),
    properties: z.record(z.string(), vendorSchema).nullish(),
    required: z.array(z.string()).nullish(),
    anyOf: z.array(vendorSchema).nullish(),
    propertyOrdering: z.array(z.string()).nullish(),
    minItems: count,
    maxItems: count,
    minProperties: count,
    maxProperties: count,
    minLength: count,
    maxLength: count,
    minimum: z.number().nullish(),
    maximum: z.number().nullish(),
    pattern: text,
    example: z.unknown().optional(),
    default: z.unknown().optional(),
  }),
);

const base64 = z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'Base64 decoding failed');
const object = z.record(z.string(), z.unknown());

const blob = z.strictObject({
  mimeType: z.string().regex(/^[\w.+-]+\/[\w.+-]+/, 'Unsupported MIME type'),
  data: base64,
  displayName: z.string().nullish(),
});
const file = z.strictObject({
  mimeType: z.string().nullish(),
  fileUri: z.string().min(1),
  displayName: z.string().nullish(),
});

const name = z.string({ error: '* Name cannot be empty.' }).min(1, '* Name cannot be empty.');

const functionCall = z.strictObject({ id: z.string().nullish(), name, args: object.nullish() });
const functionResponse = z.strictObject({
  id: z.string().nullish(),
  name,
  response: object,
  parts: z.array(z.strictObject({ inlineData: blob.nullish(), fileData: file.nullish() })).nullish(),
  willContinue: z.boolean().nullish(),
  scheduling: z.string().nullish(),
});

const fields = z.strictObject({
  text: z.string().nullish(),
  inlineData: blob.nullish(),
  fileData: file.nullish(),
  functionCall: functionCall.nullish(),
  functionResponse: functionResponse.nullish(),
  executableCode: object.nullish(),
  codeExecutionResult: object.nullish(),
  toolCall: object.nullish(),
  toolResponse: object.nullish(),
  thought: z.boolean().nullish(),
  thoughtSignature: z.string().nullish(),
  videoMetadata: object.nullish(),
  mediaResolution: z.unknown().optional(),
  partMetadata: object.nullish(),
});

/** A part has one field of data. */
export const part = fields.superRefine((value, context) => {
  const [first, second] = generateContentPartData.filter(
    field => value[field] !== undefined && value[field] !== null,
  );
  if (first && !second) return;
  const message = first
    ? `Invalid value at 'contents.parts' (oneof), oneof field 'data' is already set. Cannot set '${second}'`
    : "* GenerateContentRequest.contents.parts.data: required oneof field 'data' must have one initialized field";
  context.addIssue({ code: 'custom', message });
});

export type Part = z.infer<typeof fields>;
export type FunctionCall = z.infer<typeof functionCall>;
export type FunctionResponse = z.infer<typeof functionResponse>;

const empty = '* GenerateContentRequest.contents: contents.parts must not be empty.';

const content = z.strictObject({
  role: z.enum(['user', 'model', 'function'], { error: '* Please use a valid role: user, model.' }).nullish(),
  parts: z.array(part, { error: empty }).min(1, empty),
});

const badName = '* Invalid function name. Must start with a letter or an underscore.';
const declaration = z.strictObject({
  name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/, badName),
  description: z.string().nullish(),
  parameters: vendorSchema.nullish(),
  parametersJsonSchema: z.unknown().optional(),
  response: z.unknown().optional(),
  responseJsonSchema: z.unknown().optional(),
  behavior: z.string().nullish(),
});

const tool = z.strictObject({
  functionDeclarations: z.array(declaration).nullish(),
  googleSearch: object.nullish(),
  googleSearchRetrieval: object.nullish(),
  codeExecution: object.nullish(),
  urlContext: object.nullish(),
  googleMaps: object.nullish(),
  fileSearch: object.nullish(),
  computerUse: object.nullish(),
  mcpServers: z.array(object).nullish(),
});

const toolConfig = z.strictObject({
  functionCallingConfig: z
    .strictObject({
      mode: byNumber(
        generateContentCallingModes,
        z.enum(['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED']).nullish(),
      ),
      allowedFunctionNames: z.array(z.string()).nullish(),
    })
    .nullish(),
  retrievalConfig: object.nullish(),
  includeServerSideToolInvocations: z.boolean().nullish(),
});

/** Width and height of images by aspect ratio. */
export const sizes = {
  '1:1': [1_024, 1_024],
  '2:3': [832, 1_248],
  '3:2': [1_248, 832],
  '3:4': [864, 1_184],
  '4:3': [1_184, 864],
  '4:5': [896, 1_152],
  '5:4': [1_152, 896],
  '9:16': [768, 1_344],
  '16:9': [1_344, 768],
  '21:9': [1_536, 672],
} as const;
export const scales = { '1K': 1, '2K': 2, '4K': 4 } as const;

const imageConfig = z.looseObject({
  aspectRatio: z.enum(Object.keys(sizes) as (keyof typeof sizes)[]).nullish(),
  imageSize: z.enum(Object.keys(scales) as (keyof typeof scales)[]).nullish(),
});

const long = z.preprocess(
  value => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value),
  z.int(),
);

const generationConfig = z.strictObject({
  candidateCount: long.pipe(z.int().min(1).max(8)).nullish(),
  stopSequences: z.array(z.string()).max(5, '* The number of stop sequences must be at most 5.').nullish(),
  maxOutputTokens: long.pipe(z.int().min(1)).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  topP: z.number().min(0).max(1).nullish(),
  topK: z.number().min(1).nullish(),
  seed: long.pipe(z.int32()).nullish(),
  presencePenalty: z.number().nullish(),
  frequencyPenalty: z.number().nullish(),
  responseLogprobs: z.boolean().nullish(),
  logprobs: long.pipe(z.int().min(0).max(20)).nullish(),
  responseMimeType: z.enum(['', 'text/plain', 'application/json', 'text/x.enum']).nullish(),
  responseSchema: vendorSchema.nullish(),
  responseJsonSchema: z.unknown().optional(),
  _responseJsonSchema: z.unknown().optional(),
  responseModalities: z
    .array(byNumber(generateContentModalities, z.enum(['TEXT', 'IMAGE', 'AUDIO', 'VIDEO'])))
    .nullish(),
  speechConfig: object.nullish(),
  thinkingConfig: z
    .strictObject({
      includeThoughts: z.boolean().nullish(),
      thinkingBudget: long.pipe(z.int().min(-1)).nullish(),
      thinkingLevel: byNumber(generateContentLevels, z.enum(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH']).nullish()),
    })
    .nullish(),
  mediaResolution: z.union([z.string(), z.int()]).nullish(),
  imageConfig: imageConfig.nullish(),
  enableEnhancedCivicAnswers: z.boolean().nullish(),
  audioTranscriptionConfig: object.nullish(),
});

const safetySetting = z.strictObject({
  category: byNumber(generateContentHarmCategories, z.string().regex(/^HARM_CATEGORY_[A-Z_]+$/)),
  threshold: byNumber(
    generateContentBlockThresholds,
    z.enum(['BLOCK_LOW_AND_ABOVE', 'BLOCK_MEDIUM_AND_ABOVE', 'BLOCK_ONLY_HIGH', 'BLOCK_NONE', 'OFF']),
  ),
});

const unspecified = '* GenerateContentRequest.contents: contents is not specified';
const contents = z.array(content, { error: unspecified }).min(1, unspecified);

const instructions = z.preprocess(
  parts => (Array.isArray(parts) ? parts : [parts]),
  z.array(z.strictObject({ text: z.string() })),
);

/** A request in camelCase. Unknown fields are rejected, as the vendor rejects them. */
export const generateRequest = z.strictObject({
  model: z.string().nullish(),
  contents,
  systemInstruction: z.strictObject({ role: z.string().nullish(), parts: instructions }).nullish(),
  tools: z.array(tool).nullish(),
  toolConfig: toolConfig.nullish(),
  safetySettings: z.array(safetySetting).nullish(),
  generationConfig: generationConfig.nullish(),
  cachedContent: z.string().nullish(),
  serviceTier: z.enum(['flex', 'standard', 'priority']).nullish(),
  labels: z.record(z.string(), z.string()).nullish(),
  store: z.boolean().nullish(),
  continuationToken: z.string().nullish(),
});

/** A request to count tokens: contents, or a whole request. */
export const generateCount = z.strictObject({
  model: z.string().nullish(),
  contents: z.array(content).nullish(),
  generateContentRequest: generateRequest.nullish(),
});

export type GenerateRequest = z.infer<typeof generateRequest>;
export type GenerationConfig = NonNullable<GenerateRequest['generationConfig']>;
export type Content = z.infer<typeof content>;
