import { z } from 'zod';
import { immediate } from '../delivery.ts';
import type { Api } from '../routes.ts';
import { dimensionsOf, tokensInAll, vectorOf } from '../vectors/vector.ts';
import { bedrockErrors, invalid, modelIn } from './errors.ts';

interface ParsedEmbed {
  model: string;
  texts: string[];
  dimensions: number;
}

/** @throws ApiError in the words of Bedrock */
function validated<T>(schema: z.ZodType<T>, body: unknown): T {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const [issue] = error.issues;
  throw invalid(`Malformed input request: #/${issue?.path.join('/')}: ${issue?.message}, please reformat.`);
}

const titanRequest = z.strictObject({
  inputText: z.string().min(1),
  dimensions: z.literal([1_024, 512, 256]).optional(),
  normalize: z.boolean().optional(),
  embeddingTypes: z.array(z.literal('float')).optional(),
});

/** InvokeModel of Amazon's Titan text embeddings, of the second generation. */
export const titanEmbed: Api<ParsedEmbed> = {
  format: bedrockErrors,
  parse(body, _headers, url) {
    const { inputText, dimensions } = validated(titanRequest, body);
    const model = modelIn(url);
    return { model, texts: [inputText], dimensions: dimensions ?? dimensionsOf(model) };
  },
  answer({ model, texts, dimensions }) {
    const embedding = [...vectorOf(texts.join(), dimensions)];
    const tokens = tokensInAll(texts);
    const body = { embedding, embeddingsByType: { float: embedding }, inputTextTokenCount: tokens };
    return immediate(model, body, tokens);
  },
};

const cohereRequest = z.strictObject({
  input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering']),
  texts: z.array(z.string()).min(1).max(96),
  embedding_types: z.array(z.literal('float')).optional(),
  output_dimension: z.literal([256, 512, 1_024, 1_536]).optional(),
  truncate: z.enum(['NONE', 'START', 'END', 'LEFT', 'RIGHT']).optional(),
});

/** The words of a generation for the ends of an input. */
const ends = { v3: ['START', 'END'], v4: ['LEFT', 'RIGHT'] };

/** InvokeModel of Cohere's Embed. Its answers report no tokens. */
export const cohereEmbedOnBedrock: Api<ParsedEmbed & { typed: boolean }> = {
  format: bedrockErrors,
  parse(body, _headers, url) {
    const request = validated(cohereRequest, body);
    const { texts, truncate = 'NONE', output_dimension: dimensions, embedding_types: types } = request;
    const model = modelIn(url);
    const isV4 = model.includes('embed-v4');
    if (!['NONE', ...ends[isV4 ? 'v4' : 'v3']].includes(truncate))
      throw invalid(`Malformed input request: #/truncate: ${truncate} is not a valid enum value`);
    if (dimensions && !isV4)
      throw invalid('Malformed input request: #: extraneous key [output_dimension] is not permitted');
    return { model, texts, dimensions: dimensions ?? dimensionsOf(model), typed: types !== undefined };
  },
  answer({ model, texts, dimensions, typed }) {
    const vectors = texts.map(text => [...vectorOf(text, dimensions)]);
    const body = {
      id: 'e0e1f2a3-0000-4000-8000-000000000000',
      response_type: typed ? 'embeddings_by_type' : 'embeddings_floats',
      embeddings: typed ? { float: vectors } : vectors,
      texts,
    };
    return immediate(model, body, tokensInAll(texts));
  },
};
