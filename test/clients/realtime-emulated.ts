import { type Simulated, startSimulated } from '../stack/simulated.ts';

/**
 * A gateway whose models have no realtime API: `text`, and `talker`, which hears and speaks through helper
 * models.
 */
export type EmulatedGateway = Simulated;

export function startEmulated(): Promise<EmulatedGateway> {
  return startSimulated(catalogAt);
}

/** Models of every format, by the kind of their provider. */
function catalogAt(url: string) {
  const openai = { kind: 'openai-compatible', baseUrl: `${url}/v1` };
  const providers = [
    { name: 'chat', ...openai },
    { name: 'responses', ...openai, api: 'responses' },
    { name: 'messages', kind: 'anthropic', baseUrl: url, apiKey: { value: 'sk-any' } },
    { name: 'elevenlabs', kind: 'elevenlabs', baseUrl: url, apiKey: { value: 'any' } },
    { name: 'gemini', kind: 'gemini', baseUrl: url, apiKey: { value: 'any' } },
  ];
  const one = (name: string, provider: string, model = 'sim-fast', fields = {}) => ({
    name,
    targets: [{ provider, model }],
    ...fields,
  });
  const helped = { realtime: { transcription: 'ears', speech: 'mouth', voice: 'sage' } };
  const models = [
    one('text', 'chat'),
    one('text-responses', 'responses'),
    one('text-messages', 'messages'),
    one('text-gemini', 'gemini'),
    one('slow', 'chat', 'sim-t400-i20ms'),
    one('failing', 'chat', 'fault-429'),
    one('broken', 'chat', 'fault-reset'),
    {
      name: 'second-best',
      targets: [
        { provider: 'chat', model: 'fault-500' },
        { provider: 'messages', model: 'sim-fast' },
      ],
    },
    one('talker', 'chat', 'sim-t12', helped),
    one('slow-talker', 'chat', 'sim-t400-i20ms', helped),
    one('mute', 'chat', 'sim-t12', { realtime: { speech: 'hoarse' } }),
    one('translated-talker', 'chat', 'sim-t12', { realtime: { speech: 'other-mouth', voice: 'sage' } }),
    one('ears', 'chat', 'sim-fast'),
    one('mouth', 'chat', 'sim-fast'),
    one('other-mouth', 'elevenlabs', 'sim-fast'),
    one('hoarse', 'chat', 'fault-500'),
  ];
  return { providers, models };
}

/** A tone or silence of the given length in milliseconds, at 24 kHz. */
export function sound(ms: number, loud = true): Buffer {
  const bytes = Buffer.alloc(ms * 48);
  if (loud) for (let i = 0; i < ms * 24; i++) bytes.writeInt16LE(Math.round(9_000 * Math.sin(i / 9)), 2 * i);
  return bytes;
}
