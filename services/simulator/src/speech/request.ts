import { z } from 'zod';
import { codecs } from './codecs/index.ts';

const text = z.string();
const most = 4_096;
const formats = Object.keys(codecs) as [keyof typeof codecs, ...(keyof typeof codecs)[]];

/** A request as the vendor takes it: what it does not know, it refuses. Voices come and go: any name is one. */
export const speechRequest = z.strictObject({
  model: text.min(1),
  input: text.min(1).max(most),
  voice: z.union([text.min(1), z.strictObject({ id: text.min(1) })]),
  instructions: text.max(most).nullish(),
  response_format: z.enum(formats).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  stream_format: z.enum(['sse', 'audio']).nullish(),
});
