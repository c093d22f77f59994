import type { FinishEvent, GenerateEvent } from '@model-gateway/canonical';
import type { AnswerRenderer } from '@model-gateway/ingress';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { chatDone } from '@model-gateway/wire';
import { ChatChoice } from './render-choice.ts';
import { renderUsage } from './render-finish.ts';
import { answerId, systemFingerprint } from './render-parts.ts';
import { type ChatAnswerOptions, renderWhole } from './render-whole.ts';

export {
  renderChatError as renderError,
  renderChatErrorEvent as renderErrorEvent,
} from '@model-gateway/ingress';

export function chatRenderer(options: ChatAnswerOptions): AnswerRenderer {
  return {
    type: 'answer',
    whole: (answer, context) => renderWhole(answer, context, options),
    stream(context) {
      const stream = new ChatStream(context, options);
      return { add: event => stream.write(event) };
    },
  };
}

interface Context {
  requestId: string;
  created: number;
}

/** Writes a response's events as chunks. The JSON that all chunks share is rendered once. */
class ChatStream {
  readonly #context: Context;
  readonly #options: ChatAnswerOptions;
  readonly #choices: ChatChoice[] = [];
  #head = '';
  #tail = '';

  constructor(context: Context, options: ChatAnswerOptions) {
    this.#context = context;
    this.#options = options;
    this.#identify('', '');
  }

  write(event: GenerateEvent): string {
    switch (event.type) {
      case 'start':
        this.#identify(event.id, event.model);
        return '';
      case 'part-start':
        return this.#choice(event.choice).open(event);
      case 'part-delta':
        return this.#choice(event.choice).more(event);
      case 'part-end':
        return this.#choice(event.choice).close(event);
      case 'choice-end':
        return this.#choice(event.choice).end(event);
      case 'finish':
        return this.#choice().end(event) + this.#usage(event) + sseEvent(chatDone);
      case 'verbatim':
      case 'result':
      case 'error':
        return '';
    }
  }

  #identify(upstreamId: string, model: string): void {
    const { requestId, created } = this.#context;
    const common = {
      id: answerId(upstreamId, requestId),
      object: 'chat.completion.chunk',
      created,
      model: model || this.#options.model,
      service_tier: null,
      system_fingerprint: systemFingerprint,
    };
    this.#head = `data: ${dataJson(common).slice(0, -1)},"choices":[`;
    this.#tail = this.#options.usage ? '],"usage":null}\n\n' : ']}\n\n';
  }

  #choice(index = 0): ChatChoice {
    this.#choices[index] ??= new ChatChoice({
      legacy: this.#options.legacy,
      chunk: (delta, reason) => {
        const end = reason === undefined ? 'null' : `"${reason}"`;
        return `${this.#head}{"index":${index},"delta":${delta},"logprobs":null,"finish_reason":${end}}${this.#tail}`;
      },
    });
    return this.#choices[index];
  }

  /** Writes the chunk with the usage if the client requested it. */
  #usage({ usage }: FinishEvent): string {
    if (!this.#options.usage || !usage) return '';
    return `${this.#head}],"usage":${dataJson(renderUsage(usage))}}\n\n`;
  }
}
