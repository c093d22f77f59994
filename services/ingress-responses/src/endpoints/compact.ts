import { spliceTopLevel } from '@model-gateway/canonical';
import { type Endpoint, renderChatError } from '@model-gateway/ingress';
import { responsesFormat } from '../format/format.ts';
import { joinTask, parseCompaction } from '../format/parse-summary.ts';
import { noSummary } from '../format/render-summary.ts';
import { expand, ownItems } from '../store/expand.ts';
import type { ResponseServices } from '../store/response-services.ts';
import { CompactionOutlet } from './render-compaction.ts';

/** `POST /v1/responses/compact`: a conversation as a summary that its own model makes, whatever that speaks. */
export function compact(shelf: ResponseServices): Endpoint {
  return {
    ...responsesFormat,
    path: '/v1/responses/compact',
    async prepare(body, asked, requestId) {
      const { text, body: expanded } = await expand(shelf, body, asked);
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
        through: outlet => new CompactionOutlet(outlet, requestId, failed),
      };
    },
    parse: parseCompaction,
  };
}
