import type { Endpoint } from '@model-gateway/ingress';
import { responsesFormat } from '../format.ts';
import { parse } from './parse.ts';

export const responses: Endpoint = { ...responsesFormat, path: '/v1/responses', parse };
