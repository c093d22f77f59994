import { z } from 'zod';
import { generateContentModelName } from '../model-name.ts';
import {
  enumName,
  generateContentBlockMethods,
  generateContentBlockThresholds,
  generateContentEnum,
  generateContentHarmCategories,
  generateContentLevels,
  generateContentMediaResolutions,
  generateContentModalities,
} from './enums.ts';
import { generateContentContent, generateContentSystem } from './parts.ts';
import { generateContentTool, generateContentToolConfig } from './tools.ts';

/*
 * Generate content as Google's published protocol buffers have it (GenerateContentRequest and what it refers to).
 * The model and whether it streams stand in the path. Bodies are read once `camelCased` has been over them; `null` means
 * not set, and fields that are not known pass.
 */

const text = z.string();
const object = z.looseObject({});
const bare = z.looseObject({
  role: text.nullish(),
  parts: z.array(object).min(1),
});

/** A number, which may be written as a string. */
const numeric = <T extends z.ZodNumber>(schema: T) =>
  z.preprocess(
    value => (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value),
    schema,
  );
const number = numeric(z.number());
const integer = numeric(z.int());

/** An enum's value, written in capitals; small letters are read too. */
const capitals = (values: readonly string[]) =>
  z.preprocess(value => {
    const name = enumName(values, value);
    return typeof name === 'string' ? name.toUpperCase() : name;
  }, text);

/** Levels of thinking; a model accepts some of them. */
export const generateContentThinkingLevels = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] as const;

/** How much to think. A budget of 0 is not at all, one of -1 as the model likes. */
export const generateContentThinkingConfig = z.looseObject({
  includeThoughts: z.boolean().nullish(),
  thinkingBudget: numeric(z.int().min(-1)).nullish(),
  thinkingLevel: capitals(generateContentLevels).nullish(),
});
export type GenerateContentThinkingConfig = z.infer<typeof generateContentThinkingConfig>;

/** The parameters of an answer. Defaults: one candidate, text, no limits but the model's. */
export const generateContentGenerationConfig = z.looseObject({
  candidateCount: numeric(z.int().min(1)).nullish(),
  stopSequences: z.array(text).nullish(),
  maxOutputTokens: numeric(z.int().min(1)).nullish(),
  temperature: numeric(z.number().min(0).max(2)).nullish(),
  topP: numeric(z.number().min(0).max(1)).nullish(),
  topK: numeric(z.number().min(0)).nullish(),
  seed: integer.nullish(),
  presencePenalty: number.nullish(),
  frequencyPenalty: number.nullish(),
  responseLogprobs: z.boolean().nullish(),
  /** How many alternatives of each token to show. */
  logprobs: numeric(z.int().min(0).max(20)).nullish(),
  responseMimeType: text.nullish(),
  /** In Google's own dialect of schemas. */
  responseSchema: object.nullish(),
  /** As JSON Schema, by its name and its older one. */
  responseJsonSchema: z.unknown().optional(),
  _responseJsonSchema: z.unknown().optional(),
  responseModalities: z.array(capitals(generateContentModalities)).nullish(),
  speechConfig: object.nullish(),
  thinkingConfig: generateContentThinkingConfig.nullish(),
  mediaResolution: generateContentEnum(generateContentMediaResolutions).nullish(),
  imageConfig: object.nullish(),
});
export type GenerateContentGenerationConfig = z.infer<typeof generateContentGenerationConfig>;

export const generateContentSafetySetting = z.looseObject({
  category: generateContentEnum(generateContentHarmCategories),
  threshold: generateContentEnum(generateContentBlockThresholds),
  method: generateContentEnum(generateContentBlockMethods).nullish(),
});

const fields = {
  model: generateContentModelName.nullish(),
  contents: z.array(bare).min(1),
  systemInstruction: z.union([object, text], { error: 'a content' }).nullish(),
  tools: z.array(object).nullish(),
  toolConfig: object.nullish(),
  safetySettings: z.array(object).nullish(),
  generationConfig: generateContentGenerationConfig.nullish(),
  cachedContent: text.nullish(),
  serviceTier: text.nullish(),
  labels: object.nullish(),
  continuationToken: text.nullish(),
};

/** The body of `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent`. */
export const generateContentRequest = z.looseObject(fields);
export type GenerateContentRequest = z.infer<typeof generateContentRequest>;

/** A {@link generateContentRequest} checked as far as a translator reads it. */
export const generateContentTranslatable = z.looseObject({
  ...fields,
  contents: z.array(generateContentContent).min(1),
  systemInstruction: generateContentSystem.nullish(),
  tools: z.array(generateContentTool).nullish(),
  toolConfig: generateContentToolConfig.nullish(),
  safetySettings: z.array(generateContentSafetySetting).nullish(),
});

export type GenerateContentTranslatable = z.infer<typeof generateContentTranslatable>;

/** The body of `:countTokens`: contents, or all of a request. */
export const generateContentCountRequest = z
  .looseObject({
    contents: z.array(bare).nullish(),
    generateContentRequest: z.looseObject(fields).nullish(),
  })
  .refine(({ contents, generateContentRequest }) => Boolean(contents) !== Boolean(generateContentRequest), {
    message: 'one of contents and generateContentRequest',
    path: ['contents'],
  });
export type GenerateContentCountRequest = z.infer<typeof generateContentCountRequest>;
