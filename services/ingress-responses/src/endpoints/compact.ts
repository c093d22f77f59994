import { renderChatError } from '@model-gateway/formats/client';
import {
  joinTask,
  noSummary,
  parseCompaction,
  type ResponsesRendering,
  rendererOf,
  responsesFormat,
} from '@model-gateway/formats/responses';
import type { Endpoint } from '@model-gateway/ingress';
import { spliceTopLevel } from '@model-gateway/json';
import { expand, ownItems } from '../store/expand.ts';
import type { ResponseServices } from '../store/response-services.ts';
import { CompactionSink } from './render-compaction.ts';

/** `POST /v1/responses/compact`: replaces a conversation by a summary, which any model can write. */
export function compact(services: ResponseServices): Endpoint<ResponsesRendering> {
  return {
    ...responsesFormat,
    path: '/v1/responses/compact',
    async prepare(body, request, requestId) {
      const { text, body: expanded } = await expand(services, body, request);
      const input = `[${joinTask(ownItems(text))}]`;
      const failed = () => renderChatError(noSummary());
      return {
        body: { ...expanded, input: JSON.parse(input), stream: false },
        text: spliceTopLevel(
          text,
          new Map([
            ['input', input],
            ['stream', 'false'],
          ]),
        ),
        through: sink => new CompactionSink(sink, requestId, services.store.clock, failed),
      };
    },
    parse: parseCompaction,
    render: rendererOf,
  };
}
