import type { Flow } from '../format.ts';
import type { Codec } from './codecs/codec.ts';
import type { Melody } from './melody.ts';

/** A melody as an audio file, a write for each token; the last frame alone is what makes it whole. */
export function audio(melody: Melody, codec: Codec): Flow {
  return {
    opening: [codec.head(melody.frames)].filter(({ length }) => length > 0),
    beats: beats(melody, codec),
    closing: [codec.frame(melody.last, melody.frames - 1, true)],
  };
}

function* beats(melody: Melody, codec: Codec): Generator<Buffer[]> {
  let number = 0;
  for (const notes of melody.beats()) {
    const frames = notes.map(note => codec.frame(note, number++, false));
    yield frames.length > 0 ? [Buffer.concat(frames)] : [];
  }
}

/** A file as events, of which the last one says what it cost. */
export function events({ opening, beats, closing }: Flow, done: object): Flow {
  const all = (pieces: Flow['opening']) =>
    pieces.map(piece => event({ type: 'speech.audio.delta', audio: base64(piece) }));
  return {
    opening: all(opening),
    beats: Iterator.from(beats).map(all),
    closing: [...all(closing), event({ type: 'speech.audio.done', ...done })],
  };
}

function base64(piece: string | Uint8Array): string {
  return Buffer.from(piece).toString('base64');
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
