import { z } from 'zod';
import { modelName } from './model-name.ts';
import { wholeNumber } from './whole-number.ts';

/*
 * Embeddings as OpenAI's published API description has them (CreateEmbeddingRequest and -Response). The fields that say
 * what vectors are for are not OpenAI's: servers compatible with it take them.
 */

const maxInputs = 2048;
const text = z.string().min(1);
const tokens = z.array(wholeNumber({ min: 0 })).min(1);

/** What an input looks like decides which of its forms is meant, and so what is wrong with it. */
const inputs = z.unknown().superRefine((value, context) => {
  const { error } = inputForm(value).safeParse(value);
  for (const issue of error?.issues ?? []) context.addIssue(issue as z.core.$ZodSuperRefineIssue);
}) as unknown as z.ZodType<string | string[] | number[] | number[][]>;

function inputForm(value: unknown): z.ZodType {
  if (!Array.isArray(value)) return text;
  if (typeof value[0] === 'number') return tokens;
  return z
    .array(Array.isArray(value[0]) ? tokens : text)
    .min(1)
    .max(maxInputs);
}

/** The body of `POST /v1/embeddings`. `null` means not set. Default: encoding_format float. */
export const embeddingsRequest = z.looseObject({
  model: modelName,
  /** Texts, or a text's tokens, or those of several. */
  input: inputs,
  /** How many numbers a vector has. */
  dimensions: wholeNumber({ min: 1 }).nullish(),
  /** Numbers, or the base64 of 32-bit floats, little-endian. */
  encoding_format: z.enum(['float', 'base64']).nullish(),
  user: z.string().nullish(),
  /** What the vectors are for, as Cohere, Voyage and others have it: `query`, `search_document`, … */
  input_type: z.string().nullish(),
  /** The same as Jina has it: `retrieval.query`, `text-matching`, … */
  task: z.string().nullish(),
  /** Whether an input that is too long is cut; in words, as Cohere has it: `NONE`, `START`, `END`. */
  truncate: z.union([z.boolean(), z.string()], { error: 'a boolean or a string' }).nullish(),
});
export type EmbeddingsRequest = z.infer<typeof embeddingsRequest>;

export interface EmbeddingsAnswer {
  object: 'list';
  model: string;
  data: { object: 'embedding'; index: number; embedding: number[] | string }[];
  usage: { prompt_tokens: number; total_tokens: number };
}
