import { type Endpoint, knownFields } from '@model-gateway/ingress';
import { messagesCountRequest } from '@model-gateway/wire';
import { messagesFormat } from '../format.ts';
import { parse } from './parse.ts';

export const countTokens: Endpoint = {
  ...messagesFormat,
  operation: 'count-tokens',
  path: '/v1/messages/count_tokens',
  fields: knownFields(messagesCountRequest),
  parse,
};
