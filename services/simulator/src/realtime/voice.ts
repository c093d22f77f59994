import { pcm } from '../speech/codecs/pcm.ts';
import { Melody } from '../speech/melody.ts';
import { audio } from '../speech/stream.ts';
import { bytesAMs, encoded } from './audio-format.ts';
import type { SessionSettings } from './settings.ts';
import type { Sound } from './writer.ts';

const characterMs = 60;

/** How tokens sound, one after another; what is left when the last was said comes after it. */
export function* voiced(tokens: string[], output: SessionSettings['audio']['output']): Generator<Sound> {
  if (tokens.length === 0) return;
  const { voice, speed, format } = output;
  const melody = new Melody({
    tokens,
    voice: typeof voice === 'string' ? voice : voice.id,
    characterMs: characterMs / speed,
    codec: pcm,
  });
  const { beats, closing } = audio(melody, pcm);
  for (const beat of [...beats, closing]) {
    const sound = encoded(Buffer.concat(beat.map(piece => Buffer.from(piece))), format);
    yield { audio: sound, ms: sound.length / bytesAMs(format) };
  }
}
