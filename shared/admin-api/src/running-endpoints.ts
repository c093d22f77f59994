import type { Endpoint } from './endpoint.ts';
import { followQuery, runningPage, runningQuery } from './running.ts';

/** The endpoints for requests in flight. */
export const runningEndpoints = {
  listRunning: {
    method: 'get',
    path: '/api/v1/running-requests',
    summary: 'List the requests in flight at all processes, oldest first',
    bearer: 'admin',
    query: runningQuery,
    status: 200,
    response: runningPage,
  },
  followRunning: {
    method: 'get',
    path: '/api/v1/running-requests/follow',
    summary:
      'Follow the requests in flight as server-sent events: started, changed, ended, and missed for changes that were left out',
    bearer: 'admin',
    query: followQuery,
    status: 200,
    mediaTypes: ['text/event-stream'],
  },
  endRunning: {
    method: 'delete',
    path: '/api/v1/running-requests/{id}',
    summary: 'End a request in flight or a realtime session: its client gets an error',
    bearer: 'admin',
    status: 204,
  },
} as const satisfies Record<string, Endpoint>;
