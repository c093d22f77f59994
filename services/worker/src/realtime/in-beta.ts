import type { Message } from '@model-gateway/bus';
import { fromBeta, toBeta } from './beta.ts';
import { readObject } from './read-object.ts';
import type { SessionOptions } from './session.ts';

type Line = Pick<SessionOptions, 'call' | 'messages'>;

/** The line to a client that speaks the beta, as one to a client that does not. */
export function inBeta({ call, messages }: Line): Line {
  return {
    call: {
      envelope: call.envelope,
      signal: call.signal,
      get drained() {
        return call.drained;
      },
      send: events => call.send(events),
      announce: attempt => call.announce(attempt),
      sendMessage(data, text) {
        const event = text ? readObject(data) : undefined;
        if (!event) return call.sendMessage(data, text);
        let more = true;
        for (const told of toBeta(event)) more = call.sendMessage(Buffer.from(JSON.stringify(told)), true);
        return more;
      },
    },
    messages: translated(messages),
  };
}

/** What cannot be read is passed on: whoever reads it says so. */
async function* translated(messages: AsyncIterable<Message>): AsyncGenerator<Message, void> {
  for await (const message of messages) {
    const event = readObject(message.data);
    yield event ? { data: Buffer.from(JSON.stringify(fromBeta(event))), text: message.text } : message;
  }
}
