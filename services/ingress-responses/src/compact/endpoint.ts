import { GatewayError, spliceTopLevel } from '@model-gateway/canonical';
import { type Endpoint, renderChatError } from '@model-gateway/ingress';
import { responsesFormat } from '../format.ts';
import { expand, type Shelf } from '../stored/prepare.ts';
import { joined } from '../stored/turn.ts';
import { parse, withTask } from './parse.ts';
import { CompactionOutlet } from './render.ts';

/** `POST /v1/responses/compact`: a conversation as a summary that its own model makes, whatever that speaks. */
export function compact(shelf: Shelf): Endpoint {
  return {
    ...responsesFormat,
    path: '/v1/responses/compact',
    async prepare(body, asked, requestId) {
      const { text, history, own, body: expanded } = await expand(shelf, body, asked);
      const input = `[${withTask(joined([history?.items ?? '', own]))}]`;
      const failed = () => renderChatError(new GatewayError('upstream', 'The model gave no summary.'));
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
