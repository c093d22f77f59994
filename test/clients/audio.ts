import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { type Stack, startStack } from '../stack/stack.ts';

/** What clients know of models by their name alone. */
const known = ['whisper-1', 'gpt-4o-transcribe', 'gpt-4o-transcribe-diarize', 'tts-1'];

/** A gateway before a simulator whose models it knows as `audio/…`, and some by their own name. */
export interface AudioGateway {
  simulator: StartedSimulator;
  stack: Stack;
  stop(): Promise<void>;
}

export async function startAudioGateway(): Promise<AudioGateway> {
  const simulator = await startSimulator();
  const baseUrl = `${simulator.url}/v1`;
  const providers = [{ name: 'simulator', kind: 'openai-compatible', baseUrl }];
  const models = [['audio/*', '*'], ...known.map(name => [name, name])].map(([name, model]) => ({
    name,
    targets: [{ provider: 'simulator', model }],
  }));
  const stack = await startStack({ catalog: { providers, models } });
  return {
    simulator,
    stack,
    async stop() {
      await stack.stop();
      await simulator.close();
    },
  };
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
