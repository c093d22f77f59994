import { z } from 'zod';
import { type Closed, generateContentModelName, objectOrEmptyList } from '../values/schemas.ts';
import {
  enumName,
  generateContentBlockMethods,
  generateContentBlockThresholds,
  generateContentCallingModes,
  generateContentEnum,
  generateContentHarmCategories,
  generateContentLevels,
  generateContentMediaResolutions,
  generateContentModalities,
} from './enums.ts';
import {
  type GenerateContentContentParam,
  generateContentContent,
  generateContentSystem,
  withParts,
} from './parts.ts';
import { repeated, textAsPart } from './proto-json.ts';

/*
 * Generate content as in Google's published protocol buffers (GenerateContentRequest and what it refers to).
 * The path holds the model and whether to stream. Bodies are parsed after `camelCased`; `null` means not set,
 * and unknown fields pass.
 */

const text = z.string();
const object = z.looseObject({});

/**
 * A function that the client runs. Its parameters are a schema in Google's dialect, a JSON schema or absent.
 */
const generateContentFunctionDeclaration = z
  .looseObject({
    name: text.min(1),
    description: text.nullish(),
    parameters: objectOrEmptyList(object).nullish(),
    parametersJsonSchema: z.unknown().optional(),
  })
  .refine(
    ({ parameters, parametersJsonSchema: json }) => !parameters || json === undefined || json === null,
    {
      message: 'one of parameters and parametersJsonSchema',
      path: ['parameters'],
    },
  );
export type GenerateContentFunctionDeclaration = z.infer<typeof generateContentFunctionDeclaration>;

/** Functions, or tools that the vendor runs; one entry may hold several. */
const generateContentTool = z.looseObject({
  functionDeclarations: repeated(z.array(generateContentFunctionDeclaration)).nullish(),
  googleSearch: z.looseObject({ excludeDomains: repeated(z.array(text)).nullish() }).nullish(),
  googleSearchRetrieval: object.nullish(),
  codeExecution: object.nullish(),
  urlContext: object.nullish(),
  googleMaps: object.nullish(),
  fileSearch: object.nullish(),
  computerUse: object.nullish(),
});
export type GenerateContentTool = z.infer<typeof generateContentTool>;

/** The functions that may or must be called. Names are only for `ANY` and `VALIDATED`. */
const generateContentFunctionCallingConfig = z.looseObject({
  mode: z
    .preprocess(value => enumName(generateContentCallingModes, value), z.enum(generateContentCallingModes))
    .nullish(),
  allowedFunctionNames: repeated(z.array(text)).nullish(),
});

const generateContentToolConfig = z.looseObject({
  functionCallingConfig: generateContentFunctionCallingConfig.nullish(),
});

const uncheckedContent = z.preprocess(
  withParts,
  z.looseObject({ role: text.nullish(), parts: repeated(z.array(z.preprocess(textAsPart, object)).min(1)) }),
);

/** A number, possibly written as a string. */
const numeric = <T extends z.ZodNumber>(schema: T) =>
  z.preprocess(
    value => (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value),
    schema,
  );
const number = numeric(z.number());
const integer = numeric(z.int());

/** An enum's value, written in capitals; lower case is accepted. */
const capitals = (values: readonly string[]) =>
  z.preprocess(value => {
    const name = enumName(values, value);
    return typeof name === 'string' ? name.toUpperCase() : name;
  }, text);

/** Amount of reasoning. A budget of 0 turns it off; -1 lets the model decide. */
export const generateContentThinkingConfig = z.looseObject({
  includeThoughts: z.boolean().nullish(),
  thinkingBudget: numeric(z.int().min(-1)).nullish(),
  thinkingLevel: capitals(generateContentLevels).nullish(),
});
export type GenerateContentThinkingConfig = z.infer<typeof generateContentThinkingConfig>;

/** The format of a part of the response (`ResponseFormat` in Google's SDK). */
const generateContentResponseFormat = z.looseObject({
  text: z.looseObject({ mimeType: text.nullish(), schema: z.unknown().optional() }).nullish(),
});

/** Parameters of the response. Defaults: one candidate, text, no limits but the model's. */
export const generateContentGenerationConfig = z.looseObject({
  candidateCount: numeric(z.int().min(1)).nullish(),
  stopSequences: repeated(z.array(text)).nullish(),
  maxOutputTokens: numeric(z.int().min(1)).nullish(),
  temperature: numeric(z.number().min(0).max(2)).nullish(),
  topP: numeric(z.number().min(0).max(1)).nullish(),
  topK: numeric(z.number().min(0)).nullish(),
  seed: integer.nullish(),
  presencePenalty: number.nullish(),
  frequencyPenalty: number.nullish(),
  responseLogprobs: z.boolean().nullish(),
  logprobs: numeric(z.int().min(0).max(20))
    .nullish()
    .describe('Number of alternatives to return for each token.'),
  responseMimeType: text.nullish(),
  responseSchema: object.nullish().describe("Schema in Google's own dialect."),
  responseJsonSchema: z.unknown().optional().describe('JSON Schema, under its current and its older name.'),
  _responseJsonSchema: z.unknown().optional(),
  responseFormat: repeated(z.array(generateContentResponseFormat))
    .nullish()
    .describe('Formats of the response by modality, in place of `responseMimeType` and the schemas.'),
  responseModalities: repeated(z.array(capitals(generateContentModalities))).nullish(),
  speechConfig: object.nullish(),
  thinkingConfig: generateContentThinkingConfig.nullish(),
  mediaResolution: generateContentEnum(generateContentMediaResolutions).nullish(),
  imageConfig: object.nullish(),
});
export type GenerateContentGenerationConfig = z.infer<typeof generateContentGenerationConfig>;

const generateContentSafetySetting = z.looseObject({
  category: generateContentEnum(generateContentHarmCategories),
  threshold: generateContentEnum(generateContentBlockThresholds),
  method: generateContentEnum(generateContentBlockMethods).nullish(),
});

const fields = {
  model: generateContentModelName.nullish(),
  contents: repeated(z.array(uncheckedContent).min(1)),
  systemInstruction: z.union([object, text], { error: 'a content' }).nullish(),
  tools: repeated(z.array(object)).nullish(),
  toolConfig: object.nullish(),
  safetySettings: repeated(z.array(object)).nullish(),
  generationConfig: generateContentGenerationConfig.nullish(),
  cachedContent: text.nullish(),
  serviceTier: text.nullish(),
  labels: object.nullish(),
  continuationToken: text.nullish(),
};

/** The body of `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent`. */
export const generateContentRequest = z.looseObject(fields);
export type GenerateContentRequest = z.infer<typeof generateContentRequest>;

/** A {@link generateContentRequest}, validated as far as a translator reads it. */
export const generateContentTranslatable = z.looseObject({
  ...fields,
  contents: repeated(z.array(generateContentContent).min(1)),
  systemInstruction: generateContentSystem.nullish(),
  tools: repeated(z.array(generateContentTool)).nullish(),
  toolConfig: generateContentToolConfig.nullish(),
  safetySettings: repeated(z.array(generateContentSafetySetting)).nullish(),
});

export type GenerateContentTranslatable = z.infer<typeof generateContentTranslatable>;

/** Parameters of the response as the gateway writes them, with the SDK's `ImageConfig` for image models. */
export type GenerateContentConfigParam = Omit<Closed<GenerateContentGenerationConfig>, 'imageConfig'> & {
  imageConfig?: { aspectRatio?: string; imageSize?: string };
};

/** A request as the gateway writes it (`GenerateContentParameters` in Google's SDK, without its `config` level). */
export type GenerateContentRequestParams = Omit<
  Closed<GenerateContentTranslatable>,
  'contents' | 'generationConfig'
> & { contents: GenerateContentContentParam[]; generationConfig?: GenerateContentConfigParam };

/** A token count of a whole request as the gateway writes it. */
export interface GenerateContentCountParams {
  generateContentRequest: Partial<GenerateContentRequestParams>;
}

/** The body of `:countTokens`: contents, or a complete request. */
export const generateContentCountRequest = z
  .looseObject({
    contents: repeated(z.array(uncheckedContent)).nullish(),
    generateContentRequest: z.looseObject(fields).nullish(),
  })
  .refine(({ contents, generateContentRequest }) => Boolean(contents) !== Boolean(generateContentRequest), {
    message: 'one of contents and generateContentRequest',
    path: ['contents'],
  });
