import type { Message } from '@model-gateway/bus';
import { parseJsonObject } from '@model-gateway/json';
import { fromBeta, toBeta } from './beta.ts';
import type { SessionPeer } from './session-peer.ts';

/** Wraps a session for a client of the beta: its events are translated both ways. */
export function inBeta(session: SessionPeer): SessionPeer {
  return {
    get drained() {
      return session.drained;
    },
    // An invalid message is passed on, and refused by its reader.
    send: message => session.send(translated(message, event => [fromBeta(event)])[0] ?? message),
    consumed: weight => session.consumed(weight),
    close: () => session.close(),
    cancel: error => session.cancel(error),
    listen: ({ onMessage, onEnd }) =>
      session.listen({
        onEnd,
        onMessage(message, weight) {
          const messages = message.text ? translated(message, toBeta) : [message];
          const last = messages.pop();
          for (const each of messages) onMessage(each, 0);
          if (last) onMessage(last, weight);
          else session.consumed(weight);
        },
      }),
  };
}

/** Translates a message that is a JSON object; any other stays as it is. */
function translated(
  message: Message,
  translate: (event: Record<string, unknown>) => Record<string, unknown>[],
): Message[] {
  const event = parseJsonObject(message.data);
  if (!event) return [message];
  return translate(event).map(each => ({ data: Buffer.from(JSON.stringify(each)), text: message.text }));
}
