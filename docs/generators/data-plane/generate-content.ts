import {
  batchEmbedRequest,
  embedContentRequest,
  generateContentCountRequest,
  generateContentRequest,
} from '@model-gateway/formats';
import { z } from 'zod';
import { type DataPlaneOperation, eventStream, events, json, type Parameter } from './operation.ts';

const common = {
  method: 'post',
  tag: 'Generate content',
  security: ['clientGoogleKey', 'clientQueryKey', 'client'],
  errors: 'generate-content',
} as const;

const path = (method: string) => `/v1beta/models/{model}:${method}`;
const alsoUnder =
  'The path may also begin with `/v1` or `/v1alpha`. Field names may be in camelCase or snake_case. The model may be of any provider.';
const alt: Parameter = {
  name: 'alt',
  in: 'query',
  description: '`sse` for server-sent events, else the stream is one JSON array.',
  schema: { type: 'string', enum: ['json', 'sse'], default: 'json' },
};

const contents = { contents: [{ role: 'user', parts: [{ text: 'What are you?' }] }] };
const embedding = z.looseObject({ values: z.array(z.number()).optional() });

export const generatedContent = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        index: z.int().optional(),
        content: z
          .looseObject({
            role: z.string().optional(),
            parts: z.array(z.looseObject({ text: z.string().optional() })).optional(),
          })
          .optional(),
        finishReason: z.string().optional(),
      }),
    )
    .optional(),
  usageMetadata: z.looseObject({}).optional(),
  modelVersion: z.string().optional(),
  responseId: z.string().optional(),
});

export const generateContent: readonly DataPlaneOperation[] = [
  {
    ...common,
    id: 'generateContent',
    path: path('generateContent'),
    summary: 'Generate content',
    description: alsoUnder,
    body: { [json]: generateContentRequest },
    example: contents,
    answer: { [json]: generatedContent },
  },
  {
    ...common,
    id: 'streamGenerateContent',
    path: path('streamGenerateContent'),
    summary: 'Generate content as a stream',
    description: alsoUnder,
    parameters: [alt],
    errors: 'content-stream',
    body: { [json]: generateContentRequest },
    example: contents,
    answer: {
      [json]: z.array(generatedContent),
      [eventStream]: events('Events that each hold a response with the next parts, if `alt` is `sse`.'),
    },
  },
  {
    ...common,
    id: 'countContentTokens',
    path: path('countTokens'),
    summary: 'Count the tokens of contents',
    description: alsoUnder,
    body: { [json]: generateContentCountRequest },
    example: contents,
    answer: { [json]: z.looseObject({ totalTokens: z.int() }) },
  },
  {
    ...common,
    tag: 'Embeddings',
    id: 'embedContent',
    path: path('embedContent'),
    summary: 'Embed a content',
    description: alsoUnder,
    body: { [json]: embedContentRequest },
    example: { content: { parts: [{ text: 'A text' }] } },
    answer: { [json]: z.looseObject({ embedding }) },
  },
  {
    ...common,
    tag: 'Embeddings',
    id: 'batchEmbedContents',
    path: path('batchEmbedContents'),
    summary: 'Embed several contents',
    description: alsoUnder,
    body: { [json]: batchEmbedRequest },
    example: { requests: [{ model: 'models/sim-embed', content: { parts: [{ text: 'A text' }] } }] },
    answer: { [json]: z.looseObject({ embeddings: z.array(embedding).optional() }) },
  },
];
