import type { Format } from '../../../stack/formats.ts';
import { chat } from './chat.ts';
import { cohereChat } from './cohere-chat.ts';
import { converse } from './converse.ts';
import { generateContent } from './generate-content.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';
import type { Upstream } from './upstream.ts';

/** The formats of upstreams: no client speaks Cohere's chat or Converse. */
export type UpstreamFormat = Format | 'cohere-chat' | 'converse';

export const upstreams: Record<UpstreamFormat, Upstream> = {
  chat,
  'cohere-chat': cohereChat,
  converse,
  messages,
  'generate-content': generateContent,
  responses,
};
