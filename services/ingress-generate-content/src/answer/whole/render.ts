import type { AnswerChoice, AssistantPart, GenerateAnswer } from '@model-gateway/canonical';
import type { RenderContext } from '@model-gateway/ingress';
import type { GoogleAnswer, GoogleCandidate } from '@model-gateway/wire';
import { renderFinish } from '../../finish/render.ts';
import type { GoogleAnswerOptions } from '../../generate-content/render.ts';
import { renderGrounding } from '../../grounding/render.ts';
import { callId, headOf } from '../../ids.ts';
import { type Piece, Pieces } from '../../pieces/render.ts';
import { renderUsage } from '../../usage/render.ts';
import { contentOf } from '../content/render.ts';

export function renderWhole(
  { start, parts, finish, more = [] }: GenerateAnswer,
  { requestId }: RenderContext,
  options: GoogleAnswerOptions,
): GoogleAnswer {
  const choices = [{ parts, end: finish }, ...more];
  return {
    candidates: choices.map((choice, index) => renderCandidate(choice, index, requestId, options)),
    usageMetadata: renderUsage(finish.usage),
    ...headOf(start, requestId, options.model),
  };
}

function renderCandidate(
  { parts: given, end }: AnswerChoice,
  index: number,
  requestId: string,
  { showThoughts }: GoogleAnswerOptions,
): GoogleCandidate {
  const pieces = new Pieces({ showThoughts, callId: call => callId(requestId, index, call) });
  const parts = [...given.flatMap((part, i) => piecesOf(pieces, part, i)), ...pieces.endAll()].reduce(
    joined,
    [],
  );
  const finish = renderFinish(end, pieces.refusal);
  const cited = pieces.cited.map(text => ({ ...text, offset: 0, partIndex: parts.indexOf(text.piece) }));
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

/** What is a piece of its own in a stream, as the signature after a text, is one with the part before it here. */
function joined(parts: Piece[], next: Piece): Piece[] {
  const last = parts.at(-1) as Record<string, unknown> | undefined;
  const { text, thought, thoughtSignature } = next as Record<string, unknown>;
  const signs = text === '' && thoughtSignature !== undefined;
  if (signs && typeof last?.text === 'string' && last.thought === thought && !last.thoughtSignature)
    last.thoughtSignature = thoughtSignature;
  else parts.push(next);
  return parts;
}
