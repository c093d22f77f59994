import { type Effort, efforts, instructions, lastUserText, type Prompt, type ToolResult } from './prompt.ts';

const about =
  'Model Gateway puts every model behind one base URL and one token. Clients speak the wire format they know: chat completions, responses, messages or generate content. The gateway checks the token, finds the upstream that serves the model, and passes its answer back, whole or streamed. This is its simulated model: it costs nothing, and the same request always gets the same answer. To get answers from a real model, set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or write a gateway.yaml, and start the gateway again.';
const asksAbout = /\b(?:gateway|simulator)\b|\b(?:who|what) are you\b|\bwhat is this\b|^\W*help\b/i;

/** The text of a reply. Replies to one prompt differ by their number. */
export function textReply(prompt: Prompt, number: number): string {
  const question = lastUserText(prompt);
  const text = asksAbout.test(question) ? about : echo(prompt, question);
  const prefix = number === 0 ? '' : `Answer ${number + 1}: `;
  return shortened(prefix + text, `${instructions(prompt)}\n${question}`);
}

/** The text of a reply that refuses. */
export const refusal = 'I will not help with that, because you asked me to say no.';

/** A sentence that quotes the results of the tools. */
export function resultsText(results: readonly ToolResult[]): string {
  const parts = results.map(({ call, text }) => `${call} gave ${text.slice(0, 500).toWellFormed()}`);
  return `Here is what I found: ${parts.slice(0, 32).join(', and ')}.`;
}

function echo({ question: whole, media }: Prompt, question: string): string {
  const words = question.split(/\s+/).filter(Boolean);
  const count = media.images + media.audio + media.files;
  const attached = count > 0 ? ` It came with ${count} ${count === 1 ? 'attachment' : 'attachments'}.` : '';
  if (words.length === 0) return `You sent no text.${attached} Send a message, and it is repeated to you.`;
  if (words.length <= 30)
    return `You said: “${words.join(' ')}”.${attached} This is a simulated model: it repeats your message and costs nothing. Ask it what the gateway is, or choose another model for a real answer.`;
  return `You said ${whole.length} characters, which begin with “${words.slice(0, 12).join(' ')}…”.${attached} This is a simulated model: it has read every word, but cannot answer them.`;
}

const numerals = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const wordLimit = new RegExp(
  `\\b(?:in|with|to|most|under|than|exactly|only|just|use) (\\d{1,4}|${numerals.join('|')}) words?\\b`,
  'i',
);
const brief = /\b(?:brief|briefly|concise|concisely|terse|short answers?|one sentence)\b/i;

/** Shortens a text for "answer in N words" and "be brief". */
function shortened(text: string, request: string): string {
  const [, count] = wordLimit.exec(request) ?? [];
  if (count) {
    const limit = numerals.indexOf(count.toLowerCase()) + 1 || Number(count);
    return text.split(' ').slice(0, limit).join(' ');
  }
  return brief.test(request) ? (/^.*?[.!?](?=\s|$)/su.exec(text)?.[0] ?? text) : text;
}

/** The reasoning before a reply. More effort makes more sentences. */
export function reasoningText(prompt: Prompt, effort: Effort): string {
  const topic = prompt.question.slice(0, 60).replace(/\s+/g, ' ').trim().toWellFormed();
  const sentences = [
    `The user says “${topic}”.`,
    'First I look at what is being asked.',
    prompt.tools.length > 0 ? 'One of the tools may help.' : 'There are no tools to call.',
    'The instructions may limit the length of the answer.',
    'Of two ways to put it, the shorter one is better.',
    'Now I write the answer.',
  ];
  return sentences.slice(0, efforts.indexOf(effort) + 1).join(' ');
}
