import { z } from 'zod';
import { immediate, type Outcome } from '../delivery.ts';
import { type Mark, withMark } from '../faults/stream-faults.ts';
import { invalid, meta, validationError } from './cohere.ts';
import { base64Of, dimensionsOf, tokensInAll, vectorOf } from './vector.ts';

const maxTexts = 96;

export const embeddingTypes = ['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64'] as const;
export type EmbeddingType = (typeof embeddingTypes)[number];

const dimensions = [256, 512, 1_024, 1_536] as const;

/** An input of texts and images. */
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

function few<T extends z.ZodType>(items: T, what: string) {
  return z.array(items).superRefine(({ length }, context) => {
    if (length > maxTexts)
      context.addIssue({
        code: 'custom',
        message: `*total number of ${what} must be at most ${maxTexts} - received ${length}`,
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

export interface ParsedEmbed {
  model: string;
  texts: string[];
  dimensions: number;
  types: EmbeddingType[];
}

/** @throws ApiError as the vendor would */
export function parseEmbed(body: unknown): ParsedEmbed {
  const { data: request, error } = embedRequest.safeParse(body);
  if (!request) throw validationError(error);
  const { model, output_dimension: dimensions, embedding_types: types } = request;
  return {
    model,
    texts: textsOf(request),
    dimensions: dimensions ?? dimensionsOf(model),
    types: types?.length ? types : ['float'],
  };
}

export function embed({ model, texts, dimensions, types }: ParsedEmbed, mark?: Mark): Outcome {
  const vectors = texts.map(text => vectorOf(text, dimensions));
  const tokens = tokensInAll(texts);
  const body = {
    id: withMark('e0e1f2a3-0000-4000-8000-000000000000', mark),
    embeddings: Object.fromEntries(types.map(type => [type, vectors.map(written[type])])),
    texts,
    meta: meta({ input_tokens: tokens }),
    response_type: 'embeddings_by_type',
  };
  return immediate(model, body, tokens);
}

/** The inputs as texts. An image counts as its URL. */
function textsOf({ texts, images, inputs }: EmbedRequest): string[] {
  const given = [texts, images, inputs].filter(list => list?.length);
  if (given.length !== 1) throw invalid('exactly one of texts, images or inputs must be provided');
  if (inputs?.length)
    return inputs.map(({ content }) =>
      content.map(one => (one.type === 'text' ? one.text : one.image_url.url)).join('\n'),
    );
  return texts?.length ? texts : (images ?? []);
}

export const written: Record<EmbeddingType, (vector: Float32Array) => number[] | string> = {
  float: vector => [...vector],
  int8: vector => Array.from(vector, byteOf),
  uint8: vector => Array.from(vector, number => byteOf(number) + 128),
  binary: vector => bitsOf(vector).map(byte => byte - 128),
  ubinary: bitsOf,
  base64: base64Of,
};

function byteOf(number: number): number {
  return Math.round(number * 127);
}

/** One bit for each number, the highest bit first: 1 is positive. */
function bitsOf(vector: Float32Array): number[] {
  const bytes = new Uint8Array(Math.ceil(vector.length / 8));
  for (const [at, number] of vector.entries())
    if (number > 0) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (0x80 >> (at & 7));
  return [...bytes];
}
