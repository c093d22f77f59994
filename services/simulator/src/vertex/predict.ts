import { generateContentTaskTypes } from '@model-gateway/formats';
import { z } from 'zod';
import { immediate } from '../delivery.ts';
import { generateContent } from '../generate-content/format.ts';
import { targetOf } from '../generate-content/parse.ts';
import { badRequest } from '../generate-content/validation-error.ts';
import type { Api } from '../routes.ts';
import { dimensionsOf, maxDimensions, tokensInAll, vectorOf } from '../vectors/vector.ts';

const predictRequest = z.strictObject({
  instances: z
    .array(
      z.strictObject({
        content: z.string().min(1),
        task_type: z.enum(generateContentTaskTypes as [string, ...string[]]).nullish(),
        title: z.string().nullish(),
      }),
    )
    .min(1),
  parameters: z
    .strictObject({
      outputDimensionality: z.int().min(1).max(maxDimensions).nullish(),
      autoTruncate: z.boolean().nullish(),
    })
    .nullish(),
});

const embedContentRequest = z.strictObject({
  content: z.strictObject({
    role: z.string().optional(),
    parts: z.array(z.strictObject({ text: z.string().min(1) })).min(1),
  }),
  embedContentConfig: z
    .strictObject({
      taskType: z.enum(generateContentTaskTypes as [string, ...string[]]).optional(),
      title: z.string().optional(),
      outputDimensionality: z.int().min(1).max(maxDimensions).optional(),
      autoTruncate: z.boolean().optional(),
    })
    .optional(),
});

interface ParsedPredict {
  model: string;
  texts: string[];
  dimensions: number;
}

/** Text embeddings by the `predict` method. `gemini-embedding-001` takes one text at a time. */
export const predict: Api<ParsedPredict> = {
  format: generateContent,
  parse(body, _headers, url) {
    const { model } = targetOf(url);
    const { data, error } = predictRequest.safeParse(body);
    if (!data) throw badRequest(`Invalid request: ${z.prettifyError(error)}`, 'instances');
    const { instances, parameters } = data;
    const most = model === 'gemini-embedding-001' ? 1 : 250;
    if (instances.length > most)
      throw badRequest(`${instances.length} instance(s) is more than the maximum of ${most}.`, 'instances');
    return {
      model,
      texts: instances.map(({ content }) => content),
      dimensions: parameters?.outputDimensionality ?? dimensionsOf(model),
    };
  },
  answer({ model, texts, dimensions }) {
    const predictions = texts.map(text => ({
      embeddings: {
        values: [...vectorOf(text, dimensions)],
        statistics: { token_count: tokensInAll([text]), truncated: false },
      },
    }));
    return immediate(model, { predictions }, tokensInAll(texts));
  },
};

/** Embeddings of one content by the `embedContent` method, for models since Gemini Embedding 2. */
export const embedContent: Api<ParsedPredict> = {
  format: generateContent,
  parse(body, _headers, url) {
    const { model } = targetOf(url);
    const { data, error } = embedContentRequest.safeParse(body);
    if (!data) throw badRequest(`Invalid request: ${z.prettifyError(error)}`, 'content');
    const { content, embedContentConfig: config } = data;
    return {
      model,
      texts: [content.parts.map(({ text }) => text).join('\n')],
      dimensions: config?.outputDimensionality ?? dimensionsOf(model),
    };
  },
  answer({ model, texts, dimensions }) {
    const tokens = tokensInAll(texts);
    const embedding = { values: [...vectorOf(texts.join(), dimensions)] };
    const body = { embedding, usageMetadata: { promptTokenCount: tokens }, truncated: false };
    return immediate(model, body, tokens);
  },
};
