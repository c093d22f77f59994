import { z } from 'zod';

const mostTexts = 96;

export const embeddingTypes = ['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64'] as const;
export type EmbeddingType = (typeof embeddingTypes)[number];

const dimensions = [256, 512, 1_024, 1_536] as const;

/** Of a mixed list one input: texts and images in turn. */
const mixed = z.strictObject({
  content: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('text'), text: z.string() }),
        z.strictObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) }),
      ]),
    )
    .min(1),
});

/** At most so many of something. */
function few<T extends z.ZodType>(items: T, what: string) {
  return z.array(items).superRefine(({ length }, context) => {
    if (length > mostTexts)
      context.addIssue({
        code: 'custom',
        message: `*total number of ${what} must be at most ${mostTexts} - received ${length}`,
      });
  });
}

export const embedRequest = z.strictObject({
  model: z.string({ error: '*model must be specified' }).min(1, '*model must be specified'),
  input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering', 'image'], {
    error: '*valid input_type must be provided with the provided model',
  }),
  texts: few(z.string(), 'texts').nullish(),
  images: few(z.string(), 'images').nullish(),
  inputs: few(mixed, 'inputs').nullish(),
  max_tokens: z.int().min(1).nullish(),
  output_dimension: z
    .literal(dimensions, { error: `*output_dimension must be one of ${dimensions.join(', ')}` })
    .nullish(),
  embedding_types: z
    .array(z.enum(embeddingTypes, { error: `*embedding_types must be among ${embeddingTypes.join(', ')}` }))
    .nullish(),
  truncate: z.enum(['NONE', 'START', 'END']).nullish(),
  priority: z.int().nullish(),
});
export type EmbedRequest = z.infer<typeof embedRequest>;
