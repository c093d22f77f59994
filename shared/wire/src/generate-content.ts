import { z } from 'zod';
import {
  enumName,
  googleBlockMethods,
  googleBlockThresholds,
  googleEnum,
  googleHarmCategories,
  googleLevels,
  googleMediaResolutions,
  googleModalities,
} from './generate-content-enums.ts';
import { googleContent, googleSystem } from './generate-content-parts.ts';
import { googleTool, googleToolConfig } from './generate-content-tools.ts';
import { googleModelName } from './model-name.ts';

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
export const googleThinkingLevels = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] as const;

/** How much to think. A budget of 0 is not at all, one of -1 as the model likes. */
export const googleThinkingConfig = z.looseObject({
  includeThoughts: z.boolean().nullish(),
  thinkingBudget: numeric(z.int().min(-1)).nullish(),
  thinkingLevel: capitals(googleLevels).nullish(),
});
export type GoogleThinkingConfig = z.infer<typeof googleThinkingConfig>;

/** The parameters of an answer. Defaults: one candidate, text, no limits but the model's. */
export const googleGenerationConfig = z.looseObject({
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
  responseModalities: z.array(capitals(googleModalities)).nullish(),
  speechConfig: object.nullish(),
  thinkingConfig: googleThinkingConfig.nullish(),
  mediaResolution: googleEnum(googleMediaResolutions).nullish(),
  imageConfig: object.nullish(),
});
export type GoogleGenerationConfig = z.infer<typeof googleGenerationConfig>;

export const googleSafetySetting = z.looseObject({
  category: googleEnum(googleHarmCategories),
  threshold: googleEnum(googleBlockThresholds),
  method: googleEnum(googleBlockMethods).nullish(),
});

const fields = {
  model: googleModelName.nullish(),
  contents: z.array(bare).min(1),
  systemInstruction: z.union([object, text], { error: 'a content' }).nullish(),
  tools: z.array(object).nullish(),
  toolConfig: object.nullish(),
  safetySettings: z.array(object).nullish(),
  generationConfig: googleGenerationConfig.nullish(),
  cachedContent: text.nullish(),
  serviceTier: text.nullish(),
  labels: object.nullish(),
  continuationToken: text.nullish(),
};

/** The body of `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent`. */
export const googleRequest = z.looseObject(fields);
export type GoogleRequest = z.infer<typeof googleRequest>;

/** A {@link googleRequest} checked as far as a translator reads it. */
export const googleTranslatable = z.looseObject({
  ...fields,
  contents: z.array(googleContent).min(1),
  systemInstruction: googleSystem.nullish(),
  tools: z.array(googleTool).nullish(),
  toolConfig: googleToolConfig.nullish(),
  safetySettings: z.array(googleSafetySetting).nullish(),
});

export type GoogleTranslatable = z.infer<typeof googleTranslatable>;

/** The body of `:countTokens`: contents, or all of a request. */
export const googleCountRequest = z
  .looseObject({
    contents: z.array(bare).nullish(),
    generateContentRequest: z.looseObject(fields).nullish(),
  })
  .refine(({ contents, generateContentRequest }) => Boolean(contents) !== Boolean(generateContentRequest), {
    message: 'one of contents and generateContentRequest',
    path: ['contents'],
  });
export type GoogleCountRequest = z.infer<typeof googleCountRequest>;
