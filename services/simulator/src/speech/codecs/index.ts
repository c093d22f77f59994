import type { Codec } from './codec.ts';
import { flac } from './flac.ts';
import { opus } from './opus.ts';
import { pcm } from './pcm.ts';
import { aac, mp3 } from './recorded.ts';
import { wav } from './wav.ts';

/** By the name of the format that a request asks for. */
export const codecs = { mp3, opus, aac, flac, wav, pcm } as const satisfies Record<string, Codec>;
