import { type Endpoint, knownFields } from '@model-gateway/ingress';
import { messagesRequest } from '@model-gateway/wire';
import { messagesFormat } from '../format.ts';
import { parse } from './parse.ts';

export const messages: Endpoint = {
  ...messagesFormat,
  path: '/v1/messages',
  fields: knownFields(messagesRequest),
  parse,
};
