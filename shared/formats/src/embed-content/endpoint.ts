import type { FormatEndpoint } from '../client/endpoint.ts';
import { fieldsInBothCases } from '../generate-content/check.ts';
import { generateContentFormat } from '../generate-content/format.ts';
import { pathOf } from '../generate-content/target.ts';
import { fields, parseBatchEmbed, parseEmbed } from './parse.ts';
import { batchRenderer, contentRenderer } from './render.ts';
import { batchEmbedRequest } from './types.ts';

/** The embedding of one content. */
export const embedContent: FormatEndpoint = {
  ...generateContentFormat,
  ...pathOf('embedContent'),
  format: 'embed-content',
  fields,
  parse: parseEmbed,
  render: () => contentRenderer,
  fieldNames: {
    'inputs[0]': 'content',
    inputs: 'content',
    dimensions: 'outputDimensionality',
    task: 'taskType',
  },
};

/** The embeddings of several contents. */
export const batchEmbedContents: FormatEndpoint = {
  ...generateContentFormat,
  ...pathOf('batchEmbedContents'),
  format: 'embed-content',
  fields: fieldsInBothCases(batchEmbedRequest),
  parse: parseBatchEmbed,
  render: () => batchRenderer,
  fieldNames: {
    inputs: 'requests',
    dimensions: 'outputDimensionality',
    task: 'taskType',
  },
};
