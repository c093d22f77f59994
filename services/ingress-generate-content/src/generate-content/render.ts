import type { AnswerRenderer } from '@model-gateway/ingress';
import { GoogleStream } from '../answer/stream/render.ts';
import { renderWhole } from '../answer/whole/render.ts';

/** What of a request decides how its answer is written. */
export interface GoogleAnswerOptions {
  /** As the client named it, for upstreams that don't name theirs. */
  model: string;
  /** The client wants to see what is thought. */
  showThoughts: boolean;
}

export function googleRenderer(options: GoogleAnswerOptions): AnswerRenderer {
  return {
    whole: (answer, context) => renderWhole(answer, context, options),
    stream(context) {
      const stream = new GoogleStream(context, options);
      return { add: event => stream.write(event) };
    },
  };
}
