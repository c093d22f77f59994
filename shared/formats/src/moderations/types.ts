import { z } from 'zod';
import { modelName } from '../model-name.ts';

/*
 * Moderations as in OpenAI's published API description (CreateModerationRequest and -Response), which Mistral's API has, too
 * (https://docs.mistral.ai/api/endpoint/classifiers).
 */

/** The model of a request that names none, as in the published description. */
export const defaultModerationModel = 'omni-moderation-latest';

const part = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string().min(1) }) }),
]);
const texts = z.array(z.string()).min(1);
const parts = z.array(part).min(1);

/** Every form of an input: a text, several texts, or texts and images that are one input. */
export const moderationsInput = z.union([z.string(), texts, parts]);

/** Validates an input by the form that its first item suggests, so that errors refer to that form. */
const input = z.unknown().superRefine((value, context) => {
  const { error } = inputForm(value).safeParse(value);
  for (const issue of error?.issues ?? []) context.addIssue(issue as z.core.$ZodSuperRefineIssue);
}) as unknown as z.ZodType<z.infer<typeof moderationsInput>>;

function inputForm(value: unknown): z.ZodType {
  if (!Array.isArray(value)) return z.string();
  return typeof value[0] === 'object' ? parts : texts;
}

/** The body of `POST /v1/moderations`. `null` means not set. Default: model omni-moderation-latest. */
export const moderationsRequest = z.looseObject({
  model: modelName.nullish().describe(`Default: ${defaultModerationModel}.`),
  input: input.describe('A text or several, or a list of texts and images that are classified together.'),
});

/** A model's verdict on one input. */
export interface ModerationResult {
  /** True if any category is. */
  flagged: boolean;
  /** Null for a category that the model does not know, as `illicit` for the text moderations of OpenAI. */
  categories: Record<string, boolean | null>;
  /** From 0 to 1, by category. */
  category_scores: Record<string, number | null>;
}

export interface ModerationsAnswer {
  id: string;
  model: string;
  results: ModerationResult[];
}
