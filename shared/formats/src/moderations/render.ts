import type { ModerateAnswer } from '@model-gateway/canonical';
import type { ResultRenderer } from '../client/endpoint.ts';
import type { ModerationsAnswer } from './types.ts';

/** Renders an answer whose own form lacks a field that clients read; any other is passed on. */
export function moderationsRenderer(asked: string): ResultRenderer<ModerateAnswer> {
  return {
    type: 'result',
    result: ({ id, model, results }, _usage, { requestId }): ModerationsAnswer => ({
      id: id || requestId.replace(/^req_/, 'modr-'),
      model: model || asked,
      results: results.map(({ flagged, categories, scores }) => ({
        ...{ flagged, categories, category_scores: scores },
      })),
    }),
  };
}
