import type { ParsedRequest } from '@model-gateway/ingress';
import { ChatStream } from './stream/render.ts';
import { renderWhole } from './whole/render.ts';

export {
  renderChatError as renderError,
  renderChatErrorEvent as renderErrorEvent,
} from '@model-gateway/ingress';

/** What of a request decides how its answer is written. */
export interface ChatAnswerOptions {
  /** As the client named it, for upstreams that don't name theirs. */
  model: string;
  /** The client wants to see the usage at a stream's end. */
  usage: boolean;
  /** The client knows functions in their old form only. */
  legacy: boolean;
}

export function chatRenderer(options: ChatAnswerOptions): ParsedRequest['render'] {
  return {
    whole: (answer, context) => renderWhole(answer, context, options),
    stream(context) {
      const stream = new ChatStream(context, options);
      return { add: event => stream.write(event) };
    },
  };
}
