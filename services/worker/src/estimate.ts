import { noUsage, type OperationRequest, type Usage } from '@model-gateway/canonical';
import type { EncodeInput } from './dialects/dialect.ts';

/** Average characters per token of ordinary text. */
const charactersPerToken = 4;
/** A text of this length without a space is encoded media, whose length says little about tokens. */
const mediumLength = 2_000;

/** Usage of an attempt, as far as it is known. */
export interface Used {
  usage: Usage | null;
  /** Set if the usage is an estimate. */
  estimated?: true;
}

/** The request: a text, a canonical request, or a form with audio of `seconds`, if known. */
type Requested = Pick<EncodeInput<OperationRequest>, 'text' | 'request' | 'form'> & {
  seconds?: number | undefined;
};

/** Estimates usage. Of `reported`, only the output is replaced; for a form, nothing. */
export function guessUsed(
  { text, request, form, seconds }: Requested,
  answerCharacters: number,
  reported: Usage | null,
): Used {
  if (form) return reported ? { usage: reported } : ofAudio(seconds);
  const sent = text ? JSON.parse(text.toString()) : request;
  const output = tokens(answerCharacters);
  const usage = reported
    ? { ...reported, output }
    : { ...noUsage, input: tokens(charactersOf(sent)), output };
  return { usage, estimated: true };
}

/** Returns the reported usage unless more output arrived: some upstreams also report at the first token. */
export function atLeast(reported: Usage | null, guess: Used): Used {
  return reported && reported.output >= (guess.usage?.output ?? 0) ? { usage: reported } : guess;
}

/** Estimates audio by its seconds; a file's size says nothing about its cost. */
function ofAudio(seconds: number | undefined): Used {
  if (seconds === undefined) return { usage: null };
  return { usage: { ...noUsage, units: { seconds } }, estimated: true };
}

function tokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

function charactersOf(value: unknown): number {
  if (typeof value === 'string') {
    const medium = value.length > mediumLength && !value.slice(0, mediumLength).includes(' ');
    return medium ? 0 : value.length;
  }
  if (typeof value !== 'object' || value === null) return 0;
  // A text tokenised by the client: each number is a token.
  if (Array.isArray(value) && typeof value[0] === 'number') return value.length * charactersPerToken;
  return Object.values(value).reduce((sum: number, each) => sum + charactersOf(each), 0);
}
