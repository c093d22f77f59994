import type { AnswerChoice, AssistantPart, GenerateAnswer } from '@model-gateway/canonical';
import type { AnswerRenderer, CountRenderer, RenderContext } from '../client/endpoint.ts';
import type { GenerateContentAnswer, GenerateContentCandidate } from './answer.ts';
import { renderFinish } from './finish.ts';
import { callId, headOf, renderGrounding } from './render-content.ts';
import { contentOf, type Piece, Pieces } from './render-parts.ts';
import { type GenerateContentAnswerOptions, GenerateContentStream } from './render-stream.ts';
import type { GenerateContentTokenCount } from './upstream-answer.ts';
import { renderUsage } from './usage.ts';

export function generateContentRenderer(options: GenerateContentAnswerOptions): AnswerRenderer {
  return {
    type: 'answer',
    whole: (answer, context) => renderWhole(answer, context, options),
    stream(context) {
      const stream = new GenerateContentStream(context, options);
      return { add: event => stream.write(event) };
    },
  };
}

export const countRenderer: CountRenderer = {
  type: 'count',
  count: (tokens): GenerateContentTokenCount => ({ totalTokens: tokens }),
};

export function renderWhole(
  { start, parts, finish, more = [] }: GenerateAnswer,
  { requestId }: RenderContext,
  options: GenerateContentAnswerOptions,
): GenerateContentAnswer {
  const choices = [{ parts, end: finish }, ...more];
  return {
    candidates: choices.map((choice, index) => renderCandidate(choice, index, requestId, options)),
    usageMetadata: renderUsage(finish.usage),
    ...headOf(start, requestId, options.model),
  };
}

function renderCandidate(
  { parts: choiceParts, end }: AnswerChoice,
  index: number,
  requestId: string,
  { showThoughts }: GenerateContentAnswerOptions,
): GenerateContentCandidate {
  const pieces = new Pieces({ showThoughts, callId: call => callId(requestId, index, call) });
  const parts = [...choiceParts.flatMap((part, i) => piecesOf(pieces, part, i)), ...pieces.endAll()].reduce(
    joined,
    [],
  );
  const finish = renderFinish(end, pieces.refusal);
  const indexes = new Map(pieces.cited.length > 0 ? parts.map((part, at) => [part, at]) : []);
  const cited = pieces.cited.map(text => ({ ...text, offset: 0, partIndex: indexes.get(text.piece) ?? -1 }));
  return { ...contentOf(parts, finish), ...finish, index, ...renderGrounding(cited) };
}

function piecesOf(pieces: Pieces, part: AssistantPart, index: number): Piece[] {
  const { signature, citations } = part as { signature?: never; citations?: never };
  return [
    ...pieces.start(index, part),
    ...pieces.add(index, part.type === 'tool-call' ? part.arguments : 'text' in part ? part.text : ''),
    ...pieces.end(index, { signature, citations }),
  ];
}

/** Joins a signature that is a separate piece in a stream with the text before it. */
function joined(parts: Piece[], next: Piece): Piece[] {
  const last = parts.at(-1) as Record<string, unknown> | undefined;
  const { text, thought, thoughtSignature } = next as Record<string, unknown>;
  const signs = text === '' && thoughtSignature !== undefined;
  if (signs && typeof last?.text === 'string' && last.thought === thought && !last.thoughtSignature)
    last.thoughtSignature = thoughtSignature;
  else parts.push(next);
  return parts;
}
