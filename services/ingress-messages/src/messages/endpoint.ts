import type { Endpoint } from '@model-gateway/ingress';
import { messagesFormat } from '../format.ts';
import { parse } from './parse.ts';

export const messages: Endpoint = { ...messagesFormat, path: '/v1/messages', parse };
