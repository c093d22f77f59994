import { z } from 'zod';
import { secretRequest } from '../../../services/realtime/src/client-secrets/parse.ts';
import { type DataPlaneOperation, json } from './operation.ts';

export const realtime: readonly DataPlaneOperation[] = [
  {
    id: 'openRealtimeSession',
    method: 'get',
    path: '/v1/realtime',
    tag: 'Realtime',
    summary: 'Open a session over a WebSocket',
    description:
      'The request must upgrade to a WebSocket; otherwise the error has the status 426. Browsers send the token as the subprotocol `openai-insecure-api-key.<token>`. Events are those of OpenAI, for models of any provider.',
    parameters: [
      {
        name: 'model',
        in: 'query',
        description: 'The name of the model. A client secret has one already.',
        schema: { type: 'string' },
      },
    ],
    security: ['client'],
    errors: 'chat',
    status: 101,
    answer: {},
  },
  {
    id: 'createRealtimeSecret',
    method: 'post',
    path: '/v1/realtime/client_secrets',
    tag: 'Realtime',
    summary: 'Make a secret with which a browser can open a session',
    body: { [json]: secretRequest },
    example: { session: { type: 'realtime', model: 'sim-1' } },
    security: ['client'],
    errors: 'chat',
    answer: {
      [json]: z.looseObject({
        value: z.string(),
        expires_at: z.number().describe('Seconds since 1970.'),
        session: z.looseObject({}),
      }),
    },
  },
];
