import type { Format } from '../../../stack/formats.ts';
import { chat } from './chat.ts';
import type { Client } from './client.ts';
import { generateContent } from './generate-content.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';

export const clients: Record<Format, Client> = {
  chat,
  messages,
  'generate-content': generateContent,
  responses,
};
