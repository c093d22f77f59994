import type { WireFormat } from './wire-format.ts';

/** The wire formats that clients may use. The others are those of upstreams alone. */
export const clientFormats = [
  'chat',
  'messages',
  'generate-content',
  'responses',
  'completions',
  'embeddings',
  'embed-content',
  'rerank',
  'moderations',
  'images',
  'speech',
  'transcriptions',
  'realtime',
] as const satisfies WireFormat[];
export type ClientFormat = (typeof clientFormats)[number];
