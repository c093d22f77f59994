import type { FormatName } from '../conversation/part.ts';
import { chat } from './chat.ts';
import type { WireFormat } from './format.ts';
import { generateContent } from './generate-content.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';

/** The wire formats of conversations, by name. */
export const formats: Record<FormatName, WireFormat> = {
  chat,
  messages,
  'generate-content': generateContent,
  responses,
};
