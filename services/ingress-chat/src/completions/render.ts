import type {
  AnswerChoice,
  AssistantPart,
  Ending,
  GenerateAnswer,
  GenerateEvent,
  Usage,
} from '@model-gateway/canonical';
import type { ParsedRequest, RenderContext } from '@model-gateway/ingress';
import { dataJson, sseEvent } from '@model-gateway/sse';
import {
  type Completion,
  type CompletionChoice,
  type CompletionFinishReason,
  chatDone,
} from '@model-gateway/wire';
import { renderReason, renderUsage } from '../chat/render-finish.ts';

export {
  renderChatError as renderError,
  renderChatErrorEvent as renderErrorEvent,
} from '@model-gateway/ingress';

/** What of a request decides how its answer is written. */
export interface CompletionAnswerOptions {
  /** As the client named it, for upstreams that don't name theirs. */
  model: string;
  /** The client wants to see the usage at a stream's end. */
  usage: boolean;
  /** The prompts that answers begin with; none where they don't. */
  echo: readonly string[];
  /** How many choices each prompt has. */
  n: number;
}

export function completionRenderer(options: CompletionAnswerOptions): ParsedRequest['render'] {
  return {
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
      choice(index, echoed(index, options) + parts.map(shownText).join(''), reason(end)),
    ),
    ...(finish.usage && { usage: renderUsage(finish.usage) }),
  };
}

/** Writes an answer's events as chunks. */
class CompletionStream {
  readonly #context: RenderContext;
  readonly #options: CompletionAnswerOptions;
  #head: Omit<Completion, 'choices'>;
  /** The choices that have begun. */
  readonly #begun = new Set<number>();
  /** The parts whose text is shown, by choice and index. */
  readonly #shown = new Set<string>();

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
        if (isShown(event.part)) this.#shown.add(key(event));
        return this.#begin(event.choice);
      case 'part-delta':
        return this.#shown.has(key(event)) ? this.#text(event.choice, event.text) : '';
      case 'choice-end':
        return this.#begin(event.choice) + this.#end(event.choice, event);
      case 'finish':
        return this.#begin() + this.#end(0, event) + this.#usage(event.usage) + sseEvent(chatDone);
      case 'part-end':
      case 'verbatim':
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

  #end(index: number, ending: Ending): string {
    return this.#chunk([choice(index, '', reason(ending))]);
  }

  /** The chunk that has nothing but the usage, for a client that asked for it. */
  #usage(usage: Usage | null): string {
    return this.#options.usage && usage ? this.#chunk([], usage) : '';
  }

  #chunk(choices: CompletionChoice[], usage?: Usage): string {
    const told = this.#options.usage && { usage: usage ? renderUsage(usage) : null };
    return `data: ${dataJson({ ...this.#head, choices, ...told })}\n\n`;
  }
}

function head(upstreamId: string, model: string, { requestId, created }: RenderContext) {
  const id = `cmpl-${upstreamId.replace(/^(chat)?cmpl-/, '') || requestId}`;
  return { id, object: 'text_completion' as const, created, model };
}

function choice(index: number, text: string, finish_reason: CompletionFinishReason | null): CompletionChoice {
  return { text, index, logprobs: null, finish_reason };
}

function reason(ending: Ending): CompletionFinishReason {
  const word = renderReason(ending, { calls: false, refusal: false, legacy: false });
  return word === 'length' || word === 'content_filter' ? word : 'stop';
}

function echoed(index: number, { echo, n }: CompletionAnswerOptions): string {
  return echo[Math.floor(index / n)] ?? '';
}

/** The format has room for text alone: what the model says, or why it does not. */
function isShown({ type }: { type: string }): boolean {
  return type === 'text' || type === 'refusal';
}

function shownText(part: AssistantPart): string {
  return part.type === 'text' || part.type === 'refusal' ? part.text : '';
}

function key({ choice = 0, index }: { choice?: number; index: number }): string {
  return `${choice} ${index}`;
}
