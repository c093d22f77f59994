import {
  embeddingsInput,
  embeddingsRequest,
  moderationsInput,
  moderationsRequest,
  rerankRequest,
} from '@model-gateway/formats';
import { z } from 'zod';
import { type DataPlaneOperation, json } from './operation.ts';

/** The input as the union of its forms, of which the ingress picks one by its first item. */
export const embeddingsBody = embeddingsRequest.extend({
  input: embeddingsInput.describe(embeddingsRequest.shape.input.description ?? ''),
});

/** The input as the union of its forms, of which the ingress picks one by its first item. */
export const moderationsBody = moderationsRequest.extend({
  input: moderationsInput.describe(moderationsRequest.shape.input.description ?? ''),
});

const rerankOperation: Omit<DataPlaneOperation, 'id' | 'path'> = {
  method: 'post',
  tag: 'Rerank',
  summary: 'Rank documents by their relevance to a query',
  body: { [json]: rerankRequest },
  example: { model: 'sim-rerank', query: 'Which animal barks?', documents: ['A dog', 'A cat'] },
  security: ['client'],
  errors: 'chat',
  answer: {
    [json]: z.looseObject({
      results: z.array(z.looseObject({ index: z.int(), relevance_score: z.number() })),
    }),
  },
};

export const vectors: readonly DataPlaneOperation[] = [
  {
    id: 'createEmbedding',
    method: 'post',
    path: '/v1/embeddings',
    tag: 'Embeddings',
    summary: 'Embed texts',
    body: { [json]: embeddingsBody },
    example: { model: 'sim-embed', input: ['A text', 'Another text'] },
    security: ['client'],
    errors: 'chat',
    answer: {
      [json]: z.looseObject({
        data: z.array(
          z.looseObject({
            index: z.int().optional(),
            embedding: z.union([z.array(z.number()), z.string()]),
          }),
        ),
        usage: z.looseObject({}).nullish(),
      }),
    },
  },
  {
    id: 'createModeration',
    method: 'post',
    path: '/v1/moderations',
    tag: 'Moderations',
    summary: 'Classify texts and images by policies',
    body: { [json]: moderationsBody },
    example: { model: 'sim-moderation', input: 'A text' },
    security: ['client'],
    errors: 'chat',
    answer: {
      [json]: z.looseObject({
        id: z.string(),
        model: z.string(),
        results: z.array(
          z.looseObject({
            flagged: z.boolean(),
            categories: z.record(z.string(), z.boolean()),
            category_scores: z.record(z.string(), z.number()),
          }),
        ),
      }),
    },
  },
  { ...rerankOperation, id: 'rerank', path: '/v1/rerank' },
  {
    ...rerankOperation,
    id: 'rerankSecondVersion',
    path: '/v2/rerank',
    description: "The path of clients of Cohere's v2 API.",
  },
  {
    ...rerankOperation,
    id: 'rerankWithoutVersion',
    path: '/rerank',
    description: 'The path of some clients of text-embeddings-inference and vLLM.',
  },
];
