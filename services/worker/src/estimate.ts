import { noUsage, type OperationRequest, type Usage } from '@model-gateway/canonical';
import type { EncodeInput } from './dialects/dialect.ts';

/** How many characters of ordinary text make a token, on average. */
const charactersPerToken = 4;
/** A text as long as this without a space is an encoded medium, whose length says little. */
const mediumLength = 2_000;

/** What an attempt used, as far as anyone knows. */
export interface Used {
  usage: Usage | null;
  /** It is a guess of ours. */
  estimated?: true;
}

/** What was asked: a text or a request, or a form with audio of so many seconds, where that is known. */
type Asked = Pick<EncodeInput<OperationRequest>, 'text' | 'request' | 'form'> & {
  seconds?: number | undefined;
};

/** What was used, where the upstream did not say, or `told` only what the request was worth. */
export function guessUsed(
  { text, request, form, seconds }: Asked,
  answerCharacters: number,
  told: Usage | null,
): Used {
  if (form) return told ? { usage: told } : ofAudio(seconds);
  const asked = text ? JSON.parse(text.toString()) : request;
  const output = tokens(answerCharacters);
  const usage = told ? { ...told, output } : { ...noUsage, input: tokens(charactersOf(asked)), output };
  return { usage, estimated: true };
}

/** What was told, unless more came than that: some upstreams tell of an answer's first token and then of its last. */
export function atLeast(told: Usage | null, guess: Used): Used {
  return told && told.output >= (guess.usage?.output ?? 0) ? { usage: told } : guess;
}

/** Of a file nothing but its length in seconds says what it is worth. */
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
  // A text that the client has tokenised.
  if (Array.isArray(value) && typeof value[0] === 'number') return value.length * charactersPerToken;
  return Object.values(value).reduce((sum: number, each) => sum + charactersOf(each), 0);
}
