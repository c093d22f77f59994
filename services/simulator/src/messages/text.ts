import { wrong } from './complaint.ts';
import type { CountRequest, Message } from './request.ts';

/** Text that the vendor does not take because there is none. @throws Refusal */
export function checkText({ system, messages }: CountRequest): void {
  if (system?.some(({ text }) => text === '')) throw wrong('system: text content blocks must be non-empty');
  for (const [at, message] of messages.entries()) checkMessage(message, at, at === messages.length - 1);
}

function checkMessage({ role, content }: Message, at: number, last: boolean): void {
  const texts = content.flatMap(block => (block.type === 'text' ? [block.text] : []));
  if (texts.includes('')) throw wrong('messages: text content blocks must be non-empty');
  if (role === 'assistant') {
    if (last && /\s$/.test(texts.at(-1) ?? ''))
      throw wrong('messages: final assistant content cannot end with trailing whitespace');
    return;
  }
  if (content.length === 0) throw wrong(`messages.${at}: ${role} messages must have non-empty content`);
  if (texts.length === content.length && !texts.some(text => /\S/.test(text)))
    throw wrong('messages: text content blocks must contain non-whitespace text');
}
