import { diagnostics } from './diagnostics.ts';
import type { Endpoint } from './endpoint.ts';

/** The endpoint for the diagnostics of the installation. */
export const diagnosticsEndpoints = {
  showDiagnostics: {
    method: 'get',
    path: '/api/v1/diagnostics',
    summary:
      'Check the installation: NATS, the database, clocks, versions, workers and providers, with advice for each finding',
    bearer: 'admin',
    status: 200,
    response: diagnostics,
  },
} as const satisfies Record<string, Endpoint>;
