import { spliceTopLevel } from '@model-gateway/canonical';
import { type Endpoint, renderChatError } from '@model-gateway/ingress';
import { responsesFormat } from '../format.ts';
import { expand, ownItems } from '../stored/expand.ts';
import type { Shelf } from '../stored/shelf.ts';
import { noSummary } from '../summary/render.ts';
import { parse, withTask } from './parse.ts';
import { CompactionOutlet } from './render.ts';

/** `POST /v1/responses/compact`: a conversation as a summary that its own model makes, whatever that speaks. */
export function compact(shelf: Shelf): Endpoint {
  return {
    ...responsesFormat,
    path: '/v1/responses/compact',
    async prepare(body, asked, requestId) {
      const { text, body: expanded } = await expand(shelf, body, asked);
      const input = `[${withTask(ownItems(text))}]`;
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
    parse,
  };
}
