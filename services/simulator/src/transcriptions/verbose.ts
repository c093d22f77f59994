import { likelihood } from '../mind/logprobs.ts';
import type { TranscriptionAsked } from './parse.ts';
import type { Segment, Transcript } from './transcript.ts';

const names = new Intl.DisplayNames(['en'], { type: 'language' });

/** A transcript with all that is known of it, in the granularities that were asked for. */
export function verbose({ task, request }: TranscriptionAsked, { text, seconds, segments }: Transcript) {
  const granularities = request.timestamp_granularities ?? ['segment'];
  const language = task === 'translate' ? 'en' : (request.language ?? 'en');
  return {
    task,
    language: names.of(language)?.toLowerCase() ?? language,
    duration: seconds,
    text,
    ...(granularities.includes('segment') && { segments: segments.map(shown) }),
    ...(granularities.includes('word') && { words: segments.flatMap(wordsOf) }),
  };

  function shown({ start, end, tokens }: Segment, id: number) {
    return {
      id,
      seek: 0,
      start,
      end,
      text: ` ${tokens.join('').trim()}`,
      tokens: tokens.map(numberOf),
      temperature: request.temperature ?? 0,
      avg_logprob: likelihood(tokens[0] ?? '', id, 1).logprob,
      compression_ratio: 1.2,
      no_speech_prob: 0.01,
    };
  }
}

/** The words of a segment, which share its time. */
function wordsOf({ start, end, tokens }: Segment) {
  const words = tokens.join('').trim().split(/\s+/);
  const each = (end - start) / words.length;
  const at = (place: number) => Math.round((start + place * each) * 100) / 100;
  return words.map((word, place) => ({
    word: word.replace(/[^\p{L}\p{N}]+$/u, ''),
    start: at(place),
    end: at(place + 1),
  }));
}

/** Stands for a token, and is the same for the same one. */
function numberOf(token: string): number {
  return Array.from(token).reduce(
    (sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 50_000,
    0,
  );
}
