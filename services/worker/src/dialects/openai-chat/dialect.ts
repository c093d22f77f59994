import type { Dialect, EncodeInput } from '../dialect.ts';
import { decodeRefusal, StreamDecoder, type StreamTarget, WholeDecoder } from './decode.ts';
import { asksForUsage, encode } from './encode.ts';
import { toolName } from './tool/name.ts';

/** Chat completions, as OpenAI and those compatible with it speak it. */
export const openaiChat: Dialect = {
  format: 'chat',
  encode,
  decodeStream: input => new StreamDecoder(streamTarget(input)),
  decodeWhole: () => new WholeDecoder(),
  decodeRefusal,
};

function streamTarget({ text, request, envelope }: EncodeInput): StreamTarget {
  if (!request) return { showUsage: asksForUsage(text ?? Buffer.from('{}')) };
  const names = new Map<string, string>();
  for (const tool of request.tools ?? [])
    if (tool.type !== 'opaque') names.set(toolName(tool.name), tool.name);
  return {
    toolName: wire => names.get(wire) ?? wire,
    seed: envelope.requestId,
    stop: request.stop ?? [],
  };
}
