import { AnswerFold, type GenerateAnswer, type GenerateEvent } from '@model-gateway/canonical';
import type { AnswerRenderer, RenderContext, Renderer } from '@model-gateway/formats/client';
import { splitEvents } from '@model-gateway/sse';
import type { Answer, Reply } from '../responder/answer.ts';
import { canonicalUsage, type Manner, ReplyEvents } from '../responder/events.ts';
import type { Chunk, Flow, Format, ParsedRequest } from './format.ts';
import { type LogprobsOf, StreamedLogprobs, withLogprobs } from './logprobs.ts';

/** The way in which a vendor sends an answer. */
export interface Speech extends Manner {
  /** The renderer of the vendor's format. */
  renderer: Renderer;
  model: string;
  /** Begins the id of the answer. */
  idPrefix?: string;
  /** The replies that are sent; all by default. */
  replies?: Reply[];
  logprobs?: LogprobsOf;
}

/** Returns the answers of a format, written by its renderer. */
export function rendered<A extends ParsedRequest>(
  speechOf: (parsed: A, answer: Answer) => Speech,
): Pick<Format<A>, 'whole' | 'stream'> {
  return {
    whole: (parsed, answer) => renderWhole(speechOf(parsed, answer), answer),
    stream: (parsed, answer) => renderStream(speechOf(parsed, answer), answer),
  };
}

export function renderWhole(speech: Speech, answer: Answer): unknown {
  const replies = repliesOf(speech, answer);
  const fold = new AnswerFold();
  for (const event of openingOf(speech, answer, replies)) fold.add(event);
  for (const reply of replies)
    for (let token = 0; token < reply.tokens; token++) for (const event of reply.next()) fold.add(event);
  const [folded] = closingOf(answer, replies).flatMap(event => fold.add(event) ?? []);
  const body = rendererOf(speech).whole(folded as GenerateAnswer, contextOf(answer));
  return speech.logprobs ? withLogprobs(body, speech.replies ?? answer.replies, speech.logprobs) : body;
}

/** A tick for each token, in which several replies take turns. */
function renderStream(speech: Speech, answer: Answer): Flow {
  const replies = repliesOf(speech, answer);
  const writer = rendererOf(speech).stream(contextOf(answer));
  const logprobs = speech.logprobs && new StreamedLogprobs(speech.logprobs);
  // Benchmarks run this for every token, whose event is almost always one of the format's.
  const write = (events: GenerateEvent[]): string[] => {
    let text = '';
    for (const event of events) text += writer.add(event);
    if (events.length > 1) return splitEvents(text);
    return text === '' ? [] : [text];
  };
  const token = (reply: ReplyEvents, choice: number, at: number): string[] => {
    if (at >= reply.tokens) return [];
    const chunks = write(reply.next());
    return logprobs ? logprobs.add(chunks, reply.reply, choice, at) : chunks;
  };
  function* ticks(): Generator<Chunk[]> {
    const longest = Math.max(...replies.map(({ tokens }) => tokens));
    for (let at = 0; at < longest; at++)
      yield replies.length === 1
        ? token(replies[0] as ReplyEvents, 0, at)
        : replies.flatMap((reply, choice) => token(reply, choice, at));
  }
  function* closing(): Generator<Chunk> {
    let text = '';
    for (const event of closingOf(answer, replies)) text += writer.add(event);
    yield* splitEvents(text);
  }
  return { opening: write(openingOf(speech, answer, replies)), ticks: ticks(), closing: closing() };
}

function repliesOf(speech: Speech, answer: Answer): ReplyEvents[] {
  return (speech.replies ?? answer.replies).map((reply, choice) => new ReplyEvents(reply, choice, speech));
}

function openingOf(
  { idPrefix = '', model }: Speech,
  answer: Answer,
  replies: ReplyEvents[],
): GenerateEvent[] {
  const usage = { ...canonicalUsage(answer), output: 1, reasoning: 0 };
  const start = { type: 'start', id: idPrefix + answer.id, model, usage } as const;
  return [start, ...replies.flatMap(reply => reply.opening())];
}

/** The first reply ends last, with the usage of all. */
function closingOf(answer: Answer, replies: ReplyEvents[]): GenerateEvent[] {
  return replies.toReversed().flatMap(reply => reply.closing(canonicalUsage(answer)));
}

function rendererOf({ renderer }: Speech): AnswerRenderer {
  if (renderer.type !== 'answer') throw new Error(`A format of answers has a renderer of ${renderer.type}.`);
  return renderer;
}

function contextOf({ id, created }: Answer): RenderContext {
  return { requestId: id, created, now: () => created };
}
