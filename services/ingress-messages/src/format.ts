import {
  apiKeyOrBearer,
  type Endpoint,
  renderMessagesError,
  renderMessagesErrorEvent,
} from '@model-gateway/ingress';
import { sseComment, sseEvent } from '@model-gateway/sse';
import { checkVersion } from './version.ts';

/** What all endpoints of the format have in common. */
export const messagesFormat = {
  method: 'POST',
  format: 'messages',
  operation: 'generate',
  credential: apiKeyOrBearer,
  checkHeaders: checkVersion,
  requestIdHeader: 'request-id',
  renderError: renderMessagesError,
  renderErrorEvent: renderMessagesErrorEvent,
  // An event before `message_start` breaks some clients; a comment is ignored by all.
  ping: sseComment('ping'),
  pingWithin: sseEvent('{"type":"ping"}', 'ping'),
} satisfies Partial<Endpoint>;
