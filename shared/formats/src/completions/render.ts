import type {
  AnswerChoice,
  AssistantPart,
  Ending,
  GenerateAnswer,
  GenerateEvent,
  Usage,
} from '@model-gateway/canonical';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { chatDone } from '../chat/answer.ts';
import { renderUsage } from '../chat/usage.ts';
import type { AnswerRenderer, RenderContext } from '../client/endpoint.ts';
import { type CompletionFinishReason, toldReasons } from './finish.ts';
import type { Completion, CompletionChoice } from './types.ts';

export {
  renderChatError as renderError,
  renderChatErrorEvent as renderErrorEvent,
} from '../client/render-errors.ts';

/** The fields of a request that affect how its response is rendered. */
export interface CompletionAnswerOptions {
  /** The model name of the request, for upstreams that send none. */
  model: string;
  /** True if the client requested the usage at the end of a stream. */
  usage: boolean;
  /** The prompts that the choices repeat; empty unless the client requested `echo`. */
  echo: readonly string[];
  /** The number of choices per prompt. */
  n: number;
}

export function completionRenderer(options: CompletionAnswerOptions): AnswerRenderer {
  return {
    type: 'answer',
    whole: (answer, context) => renderWhole(answer, context, options),
    stream(context) {
      const stream = new CompletionStream(context, options);
      return { add: event => stream.write(event) };
    },
  };
}

function renderWhole(
  { start, parts, finish, more = [] }: GenerateAnswer,
  context: RenderContext,
  options: CompletionAnswerOptions,
): Completion {
  const choices: AnswerChoice[] = [{ parts, end: finish }, ...more];
  return {
    ...head(start.id, start.model || options.model, context),
    choices: choices.map(({ parts, end }, index) =>
      choice(index, echoed(index, options) + parts.map(textOf).join(''), toldReasons[end.reason]),
    ),
    ...(finish.usage && { usage: renderUsage(finish.usage) }),
  };
}

/** Writes a response's events as chunks. */
class CompletionStream {
  readonly #context: RenderContext;
  readonly #options: CompletionAnswerOptions;
  #head: Omit<Completion, 'choices'>;
  /** The choices that have begun. */
  readonly #begun = new Set<number>();
  /** The text and refusal parts, by choice and index. */
  readonly #texts = new Set<string>();

  constructor(context: RenderContext, options: CompletionAnswerOptions) {
    this.#context = context;
    this.#options = options;
    this.#head = head('', options.model, context);
  }

  write(event: GenerateEvent): string {
    switch (event.type) {
      case 'start':
        this.#head = head(event.id, event.model || this.#options.model, this.#context);
        return '';
      case 'part-start':
        if (isText(event.part)) this.#texts.add(key(event));
        return this.#begin(event.choice);
      case 'part-delta':
        return this.#texts.has(key(event)) ? this.#text(event.choice, event.text) : '';
      case 'choice-end':
        return this.#begin(event.choice) + this.#end(event.choice, event);
      case 'finish':
        return this.#begin() + this.#end(0, event) + this.#usage(event.usage) + sseEvent(chatDone);
      case 'part-end':
      case 'verbatim':
      case 'audio':
      case 'result':
      case 'error':
        return '';
    }
  }

  #begin(index = 0): string {
    if (this.#begun.has(index)) return '';
    this.#begun.add(index);
    const text = echoed(index, this.#options);
    return text === '' ? '' : this.#text(index, text);
  }

  #text(index = 0, text: string): string {
    return this.#chunk([choice(index, text, null)]);
  }

  #end(index: number, { reason }: Ending): string {
    return this.#chunk([choice(index, '', toldReasons[reason])]);
  }

  /** Writes the chunk with the usage if the client requested it. */
  #usage(usage: Usage | null): string {
    return this.#options.usage && usage ? this.#chunk([], usage) : '';
  }

  #chunk(choices: CompletionChoice[], usage?: Usage): string {
    const usageField = this.#options.usage && { usage: usage ? renderUsage(usage) : null };
    return `data: ${dataJson({ ...this.#head, choices, ...usageField })}\n\n`;
  }
}

function head(upstreamId: string, model: string, { requestId, created }: RenderContext) {
  const id = `cmpl-${upstreamId.replace(/^(chat)?cmpl-/, '') || requestId}`;
  return { id, object: 'text_completion' as const, created, model };
}

function choice(index: number, text: string, finish_reason: CompletionFinishReason | null): CompletionChoice {
  return { text, index, logprobs: null, finish_reason };
}

function echoed(index: number, { echo, n }: CompletionAnswerOptions): string {
  return echo[Math.floor(index / n)] ?? '';
}

/** True for text and refusals, the only parts that this format can carry. */
function isText({ type }: { type: string }): boolean {
  return type === 'text' || type === 'refusal';
}

function textOf(part: AssistantPart): string {
  return part.type === 'text' || part.type === 'refusal' ? part.text : '';
}

function key({ choice = 0, index }: { choice?: number; index: number }): string {
  return `${choice} ${index}`;
}
