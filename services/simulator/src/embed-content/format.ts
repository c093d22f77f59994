import type { Delivering } from '../delivery.ts';
import { generateContent } from '../generate-content/format.ts';

/** Google's embed content, whose credentials and errors are those of generate content. */
export const embedContent: Delivering = generateContent;
