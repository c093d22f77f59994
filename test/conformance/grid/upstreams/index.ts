import type { Format } from '../../../stack/formats.ts';
import { chat } from './chat.ts';
import { generateContent } from './generate-content.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';
import type { Upstream } from './upstream.ts';

export const upstreams: Record<Format, Upstream> = {
  chat,
  messages,
  'generate-content': generateContent,
  responses,
};
