import { AnswerFold, type GenerateEvent, type Result } from '@model-gateway/canonical';
import type { RenderContext, Renderer } from '@model-gateway/formats/client';

/** Collects the events of a non-streamed response. */
export class WholeAnswer {
  readonly #render: Renderer;
  readonly #context: RenderContext;
  readonly #fold = new AnswerFold();
  #result: Result | undefined;

  constructor(render: Renderer, context: RenderContext) {
    this.#render = render;
    this.#context = context;
  }

  /** Returns the body once the last event was added. */
  add(event: GenerateEvent): unknown {
    const render = this.#render;
    switch (render.type) {
      case 'answer': {
        const answer = this.#fold.add(event);
        return answer && render.whole(answer, this.#context);
      }
      case 'result':
        if (event.type === 'result') this.#result = event.result;
        if (event.type !== 'finish' || !this.#result) return undefined;
        return render.result(this.#result, event.usage, this.#context);
      case 'count':
        return event.type === 'finish' ? render.count(event.usage?.input ?? 0) : undefined;
      // Its bytes are sent as they arrive.
      case 'audio':
        return undefined;
    }
  }
}
