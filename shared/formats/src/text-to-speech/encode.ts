import type { AudioFormat, SpeechRequest } from '@model-gateway/canonical';
import type { CanonicalInput, UpstreamRequest } from '../upstream/dialect.ts';
import { withoutDropped, writtenBody } from '../upstream/request-body.ts';
import { unsupported } from '../upstream/unsupported.ts';
import { type TextToSpeechParams, textToSpeechSpeeds } from './types.ts';

/** The values of `output_format`. PCM and WAV have the sample rate that the canonical request demands. */
const formats = new Map<string, string>([
  ['mp3', 'mp3_44100_128'],
  ['opus', 'opus_48000_128'],
  ['wav', 'wav_24000'],
  ['pcm', 'pcm_24000'],
] satisfies [AudioFormat, string][]);

/** @throws GatewayError for a format, a speed or instructions that the upstream does not have */
export function encode(input: CanonicalInput<SpeechRequest>): UpstreamRequest {
  const { request, model, drop } = input;
  const { text, voice, format } = request;
  const { speed, instructions } = withoutDropped(request, drop);
  if (instructions) throw unsupported('instructions', "this model's provider takes no instructions");
  const { slowest, fastest } = textToSpeechSpeeds;
  if (speed !== undefined && (speed < slowest || speed > fastest))
    throw unsupported('speed', `this model's provider speaks at speeds from ${slowest} to ${fastest}`);
  const body: TextToSpeechParams = {
    text,
    model_id: model,
    ...(speed !== undefined && { voice_settings: { speed } }),
  };
  return { path: pathOf(voice, format), body: writtenBody(input, body) };
}

/** Returns the path and query. The head of a WAV file has its length, so the upstream does not stream it. */
function pathOf(voice: string, format: string | undefined): string {
  // A path without the voice, as servers read it.
  if (/^\.\.?$/.test(voice)) throw unsupported('voice', 'it is not the id of a voice');
  const path = `/v1/text-to-speech/${encodeURIComponent(voice)}${format === 'wav' ? '' : '/stream'}`;
  if (!format) return path;
  const output = formats.get(format);
  if (output) return `${path}?output_format=${output}`;
  throw unsupported('format', `this model's provider does not make '${format}'`);
}
