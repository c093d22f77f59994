import type { StartEvent } from '@model-gateway/canonical';
import type { RenderContext } from '@model-gateway/ingress';
import type { ResponsesAnswer } from '@model-gateway/wire';
import { responseId } from '../ids.ts';
import { type Asked, echo } from './echo.ts';

/** A response as it begins. */
export function renderHead(
  { id, model }: Pick<StartEvent, 'id' | 'model'>,
  asked: Asked,
  { requestId, created }: RenderContext,
): ResponsesAnswer {
  return {
    id: responseId(id, requestId),
    object: 'response',
    created_at: created,
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: model || asked.model,
    output: [],
    ...echo(asked),
    usage: null,
  };
}
