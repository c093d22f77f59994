interface Event {
  type: string;
  delta?: { text?: string; stop_reason?: string | null };
}

/** Returns the text of a messages stream; throws if it is not complete. */
export function messagesText(body: string): string {
  let text = '';
  let last: Event | undefined;
  let finished = false;
  for (const event of body.split('\n\n').slice(0, -1)) {
    if (event.startsWith(':')) continue;
    last = eventOf(event);
    text += last.delta?.text ?? '';
    finished ||= Boolean(last.delta?.stop_reason);
  }
  if (last?.type !== 'message_stop' || !body.endsWith('\n\n'))
    throw new Error(`a stream did not end with message_stop but with: ${body.slice(-300)}`);
  if (!finished) throw new Error('a stream had no stop_reason');
  return text;
}

function eventOf(event: string): Event {
  const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
  if (name === undefined || data === undefined || name === 'error')
    throw new Error(`this is no event of an answer: ${event}`);
  return JSON.parse(data);
}
