import { tokenLogprobs } from '../chat/logprobs.ts';
import type { Flow } from '../format.ts';
import { jsonText } from '../json-text.ts';
import type { TranscriptionAsked } from './parse.ts';
import { spokenBy } from './segment.ts';
import type { Transcript } from './transcript.ts';
import { usageOf } from './usage.ts';

/** A transcript as events, a token each, up to `[DONE]`; where speakers are told apart, a segment's end is one too. */
export function stream(asked: TranscriptionAsked, transcript: Transcript): Flow {
  const { text } = transcript;
  const all = logprobsOf(asked, transcript);
  const done = { type: 'transcript.text.done', text, ...all, usage: usageOf(asked, transcript) };
  return { opening: [], beats: beats(asked, transcript), closing: [event(done), 'data: [DONE]\n\n'] };
}

function* beats({ kind, request }: TranscriptionAsked, { segments }: Transcript): Generator<string[]> {
  const diarizes = kind === 'diarize' || request.response_format === 'diarized_json';
  const likely = request.include.includes('logprobs');
  let place = 0;
  for (const [at, segment] of segments.entries())
    for (const [number, delta] of segment.tokens.entries()) {
      const logprobs = likely && { logprobs: shownLogprobs([delta], place) };
      const said = event({
        type: 'transcript.text.delta',
        delta,
        ...(diarizes && { segment_id: `seg_${at}` }),
        ...logprobs,
      });
      const isLast = number === segment.tokens.length - 1;
      yield diarizes && isLast ? [said, event(spokenBy(segment, at))] : [said];
      place++;
    }
}

/** The likelihoods of all tokens, where they were asked for. */
export function logprobsOf({ request }: TranscriptionAsked, { segments }: Transcript) {
  if (!request.include.includes('logprobs')) return {};
  return {
    logprobs: shownLogprobs(
      segments.flatMap(({ tokens }) => tokens),
      0,
    ),
  };
}

function shownLogprobs(tokens: readonly string[], place: number) {
  return tokenLogprobs(tokens, place, 0).map(({ token, logprob, bytes }) => ({ token, logprob, bytes }));
}

function event(data: object): string {
  return `data: ${jsonText(data)}\n\n`;
}
