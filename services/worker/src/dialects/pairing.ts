import { GatewayError, type Message } from '@model-gateway/canonical';

/** @throws GatewayError unless every tool call is answered before the next turn, and every result has its call */
export function checkPairing(messages: Message[]): void {
  const unanswered = new Set<string>();
  let answering = false;
  for (const message of messages) {
    if (message.role === 'assistant') {
      if (answering) refuseUnanswered(unanswered);
      answering = false;
      for (const part of message.content) if (part.type === 'tool-call') unanswered.add(part.id);
      continue;
    }
    answering = true;
    if (message.role !== 'tool') continue;
    for (const { callId } of message.content) {
      if (!unanswered.delete(callId))
        throw unpaired(`The tool result '${callId}' answers no call of the turn before it.`);
    }
  }
  refuseUnanswered(unanswered);
}

function refuseUnanswered(ids: ReadonlySet<string>): void {
  if (ids.size === 0) return;
  const names = [...ids].map(id => `'${id}'`).join(', ');
  throw unpaired(`These tool calls have no result in the turn after them: ${names}.`);
}

function unpaired(message: string): GatewayError {
  return new GatewayError('invalid-request', message, { param: 'messages' });
}
