import { atOnce, type Outcome } from '../delivery.ts';
import { type Mark, withMark } from '../faults/mark.ts';
import { tokensInAll } from '../vectors/tokens.ts';
import { dimensionsOf, vectorOf } from '../vectors/vector.ts';
import { complaint, invalid } from './complaint.ts';
import { type EmbeddingType, type EmbedRequest, embedRequest } from './embed-request.ts';
import { written } from './embeddings.ts';
import { meta } from './format.ts';

export interface EmbedAsked {
  model: string;
  texts: string[];
  dimensions: number;
  types: EmbeddingType[];
}

/** @throws Refusal as the vendor would */
export function parseEmbed(body: unknown): EmbedAsked {
  const { data: request, error } = embedRequest.safeParse(body);
  if (!request) throw complaint(error);
  const { model, output_dimension: dimensions, embedding_types: types } = request;
  return {
    model,
    texts: textsOf(request),
    dimensions: dimensions ?? dimensionsOf(model),
    types: types?.length ? types : ['float'],
  };
}

/** The vectors, by how they are written. */
export function embed({ model, texts, dimensions, types }: EmbedAsked, mark?: Mark): Outcome {
  const vectors = texts.map(text => vectorOf(text, dimensions));
  const tokens = tokensInAll(texts);
  const body = {
    id: withMark('e0e1f2a3-0000-4000-8000-000000000000', mark),
    embeddings: Object.fromEntries(types.map(type => [type, vectors.map(written[type])])),
    texts,
    meta: meta({ input_tokens: tokens }),
    response_type: 'embeddings_by_type',
  };
  return atOnce(model, body, tokens);
}

/** What is to be embedded; an image counts as its URL. */
function textsOf({ texts, images, inputs }: EmbedRequest): string[] {
  const given = [texts, images, inputs].filter(list => list?.length);
  if (given.length !== 1) throw invalid('exactly one of texts, images or inputs must be provided');
  if (inputs?.length)
    return inputs.map(({ content }) =>
      content.map(one => (one.type === 'text' ? one.text : one.image_url.url)).join('\n'),
    );
  return texts?.length ? texts : (images ?? []);
}
