/** Returns the text of a chat completion, whole or streamed; throws if it is not complete. */
export function chatText(body: string, streamed: boolean): string {
  return streamed ? streamedText(body) : wholeText(body);
}

interface Choice {
  message?: { content: string };
  delta?: { content?: string };
  finish_reason: string | null;
}

function wholeText(body: string): string {
  const choice = choiceOf(body);
  if (!choice?.message || !choice.finish_reason) throw new Error(`this is no whole answer: ${body}`);
  return choice.message.content;
}

function streamedText(body: string): string {
  const events = body.split('\n\n');
  if (events.pop() !== '' || events.pop() !== 'data: [DONE]')
    throw new Error(`a stream did not end with [DONE] but with: ${body.slice(-300)}`);
  let text = '';
  let finished = false;
  for (const event of events) {
    if (event.startsWith(':')) continue;
    const choice = choiceOf(event.slice('data: '.length));
    text += choice?.delta?.content ?? '';
    finished ||= Boolean(choice?.finish_reason);
  }
  if (!finished) throw new Error('a stream had no finish_reason');
  return text;
}

function choiceOf(json: string): Choice | undefined {
  const { choices }: { choices?: Choice[] } = JSON.parse(json);
  if (!choices) throw new Error(`this is no chat answer: ${json}`);
  return choices[0];
}
