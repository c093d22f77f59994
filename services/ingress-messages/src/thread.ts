import { GatewayError } from '@model-gateway/canonical';
import { unsupportedThread } from '@model-gateway/ingress';

/** A continued thread holds only its new messages: answering it would lose the conversation without a word. */
export function refuseThread({ thread }: Record<string, unknown>): void {
  if (thread === undefined || thread === null) return;
  throw new GatewayError(
    'invalid-request',
    'thread: threads are not supported; send the whole conversation in messages',
    { param: 'thread', code: unsupportedThread },
  );
}
