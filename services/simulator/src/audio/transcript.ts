import { tokensOf } from '../responder/tokens.ts';

/** Heard in every recording. A longer recording repeats it. */
const sentences = [
  'Good morning, and thank you all for joining the call.',
  'Today we look at how a request finds its way through the gateway.',
  'An ingress checks the token and validates the request.',
  'A worker takes the request from the queue and calls the provider.',
  'The answer is streamed back as it arrives.',
  'If the caller hangs up, the work stops within a second.',
  'One caller says "naïve café", another 你好, and both arrive unchanged.',
  'At the end the usage is recorded.',
].map(sentence => tokensOf(` ${sentence}`));

const secondsPerToken = 0.35;

export interface Transcript {
  text: string;
  seconds: number;
  /** A segment for each sentence. */
  segments: Segment[];
}

export interface Segment {
  /** In seconds. */
  start: number;
  end: number;
  speaker: string;
  /** The tokens of all segments together are the text. */
  tokens: string[];
}

/** The transcript of audio of a length. It has a token every 0.35 s unless the number of tokens is given. */
export function transcriptOf(
  seconds: number,
  { tokens, speakers = [], mark = '' }: { tokens?: number | null; speakers?: string[]; mark?: string } = {},
): Transcript {
  const count = tokens ?? Math.max(1, Math.round(seconds / secondsPerToken));
  const names = speakers.length > 0 ? speakers : ['A', 'B'];
  const time = (token: number) => Math.round((token / count) * seconds * 100) / 100;
  const segments: Segment[] = [];
  for (let done = 0; done < count; ) {
    const at = segments.length;
    const spoken = (sentences[at % sentences.length] ?? []).slice(0, count - done);
    const [first = '', ...rest] = spoken;
    const tokens = at === 0 ? [first.trimStart() + mark, ...rest] : spoken;
    const speaker = names[at % names.length] ?? 'A';
    segments.push({ start: time(done), end: time(done + spoken.length), speaker, tokens });
    done += spoken.length;
  }
  return { text: segments.map(({ tokens }) => tokens.join('')).join(''), seconds, segments };
}

/** The words of a segment, which share its time evenly. */
export function wordsOf({ start, end, tokens }: Segment) {
  const words = tokens.join('').trim().split(/\s+/);
  const time = (at: number) => Math.round((start + ((end - start) * at) / words.length) * 100) / 100;
  return words.map((word, at) => ({ word, start: time(at), end: time(at + 1) }));
}
