import { GatewayError, type Message } from '@model-gateway/canonical';

/** @throws GatewayError unless every call has a result before the next turn, and every result has a call */
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
        throw unpaired(`The tool result '${callId}' has no matching tool call in the previous turn.`);
    }
  }
  refuseUnanswered(unanswered);
}

function refuseUnanswered(ids: ReadonlySet<string>): void {
  if (ids.size === 0) return;
  const names = [...ids].map(id => `'${id}'`).join(', ');
  throw unpaired(`These tool calls have no result in the next turn: ${names}.`);
}

function unpaired(message: string): GatewayError {
  return new GatewayError('invalid-request', message, { param: 'messages' });
}
