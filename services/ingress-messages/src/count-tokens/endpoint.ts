import type { Endpoint } from '@model-gateway/ingress';
import { messagesFormat } from '../format.ts';
import { parse } from './parse.ts';

export const countTokens: Endpoint = {
  ...messagesFormat,
  operation: 'count-tokens',
  path: '/v1/messages/count_tokens',
  parse,
};
