import { type Simulated, startSimulated } from '../stack/simulated.ts';

/** Models that clients recognize by their name. */
const known = ['whisper-1', 'gpt-4o-transcribe', 'gpt-4o-transcribe-diarize', 'tts-1'];

/** A gateway with a simulator whose models are named `audio/…`; a few also have their plain name. */
export type AudioGateway = Simulated;

export function startAudioGateway(): Promise<AudioGateway> {
  const models = [['audio/*', '*'], ...known.map(name => [name, name])].map(([name, model]) => ({
    name,
    targets: [{ provider: 'simulator', model }],
  }));
  const providers = (url: string) => [{ name: 'simulator', kind: 'openai-compatible', baseUrl: `${url}/v1` }];
  return startSimulated(url => ({ providers: providers(url), models }), { described: true });
}

/** A WAV file of so many seconds: 8 kHz, 16 bits, one channel, and nothing to hear. */
export function wav(seconds: number): Buffer {
  const rate = 16_000;
  const bytes = Buffer.alloc(44 + Math.round(seconds * rate));
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rate / 2, 24);
  bytes.writeUInt32LE(rate, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(bytes.length - 44, 40);
  return bytes;
}
