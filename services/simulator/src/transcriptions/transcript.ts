import type { TranscriptionAsked } from './parse.ts';
import { passage } from './passage.ts';

/** What is heard, and when, in seconds. */
export interface Transcript {
  text: string;
  seconds: number;
  segments: Segment[];
}

/** A sentence, or what there is of it. */
export interface Segment {
  start: number;
  end: number;
  speaker: string;
  /** Of all segments together they are the text. */
  tokens: string[];
}

/** What a transcript depends on. */
interface Spoken extends Pick<TranscriptionAsked, 'seconds' | 'pace'> {
  request: Pick<TranscriptionAsked['request'], 'known_speaker_names'>;
}

const tokenSeconds = 0.35;

/** As many words as are spoken in the time there is, or the tokens that the model's name asks for; `mark` follows the first. */
export function transcript({ seconds, request, pace }: Spoken, mark = ''): Transcript {
  const count = pace.tokens ?? Math.max(1, Math.round(seconds / tokenSeconds));
  const sentences = spoken(count);
  const [first] = sentences;
  if (first) first[0] = `${first[0]?.trimStart() ?? ''}${mark}`;
  const speakers = request.known_speaker_names.length > 0 ? request.known_speaker_names : ['A', 'B'];
  let done = 0;
  const segments = sentences.map((tokens, at) => {
    const start = timeAt(done, count, seconds);
    done += tokens.length;
    const speaker = speakers[at % speakers.length] ?? 'A';
    return { start, end: timeAt(done, count, seconds), speaker, tokens };
  });
  return { text: segments.map(({ tokens }) => tokens.join('')).join(''), seconds, segments };
}

/** Sentences of so many tokens in all. */
function spoken(count: number): string[][] {
  const sentences: string[][] = [];
  for (let left = count, at = 0; left > 0; at++) {
    const sentence = (passage[at % passage.length] ?? []).slice(0, left);
    sentences.push(sentence);
    left -= sentence.length;
  }
  return sentences;
}

/** When the token of a number begins, to the hundredth. */
function timeAt(token: number, count: number, seconds: number): number {
  return Math.round((token / count) * seconds * 100) / 100;
}
