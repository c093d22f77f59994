import type { ChatChunkChoice, ChatDelta } from '@model-gateway/wire';

/** Puts the content of a choice into `delta`: some servers send a message or a bare text in its place. */
export function moveContent(choice: ChatChunkChoice): void {
  if (choice.delta) return;
  const { message, text } = choice;
  if (typeof message === 'object' && message) choice.delta = message;
  else if (typeof text === 'string') choice.delta = { content: text };
}

/** True for a delta with content, whose end may be missing. */
export function hasContent(delta: ChatDelta | null | undefined): boolean {
  if (!delta) return false;
  const { content, reasoning_content, reasoning, refusal, tool_calls, function_call, images } = delta;
  return Boolean(
    content?.length ||
      reasoning_content ||
      reasoning ||
      refusal ||
      tool_calls?.length ||
      function_call?.name ||
      function_call?.arguments ||
      images?.length,
  );
}
