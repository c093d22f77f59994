import type { z } from 'zod/mini';
import { catalogEndpoints } from './catalog-endpoints.ts';
import { diagnosticsEndpoints } from './diagnostics-endpoints.ts';
import type { Endpoint } from './endpoint.ts';
import { groupsQuery, tokenListQuery } from './filter.ts';
import { healthQuery, healthReport } from './health.ts';
import { peopleEndpoints } from './people-endpoints.ts';
import { projectInfo, projectPage, projectSettings, userInfo, userPage, userSettings } from './projects.ts';
import { refusedPage, refusedQuery, refusedTotals, refusedTotalsQuery } from './refused.ts';
import { loggedPage, loggedRequest, requestsQuery } from './requests.ts';
import { runningEndpoints } from './running-endpoints.ts';
import { newToken, rotation, tokenChange } from './token-settings.ts';
import { issuedToken, ownToken, tokenInfo, tokenPage } from './tokens.ts';
import {
  exportQuery,
  rejectedPage,
  rejectedQuery,
  totalsQuery,
  usagePage,
  usageQuery,
  usageTotals,
} from './usage.ts';
import { seriesQuery, usageSeries } from './usage-series.ts';

/** Every endpoint of the admin API. */
export const endpoints = {
  listTokens: {
    method: 'get',
    path: '/api/v1/tokens',
    summary: 'List the tokens that are not revoked, newest first',
    bearer: 'admin',
    query: tokenListQuery,
    status: 200,
    response: tokenPage,
  },
  createToken: {
    method: 'post',
    path: '/api/v1/tokens',
    summary: 'Create a token, or import one by the SHA-256 of its secret',
    bearer: 'admin',
    body: newToken,
    status: 201,
    response: issuedToken,
    tagged: true,
    idempotencyKey: true,
  },
  showToken: {
    method: 'get',
    path: '/api/v1/tokens/{id}',
    summary: 'Show a token without its secret',
    bearer: 'admin',
    status: 200,
    response: tokenInfo,
    conditional: true,
  },
  changeToken: {
    method: 'patch',
    path: '/api/v1/tokens/{id}',
    summary: 'Change a token: its name, owner, expiry, scopes, limits, budget or tags; disable or enable it',
    bearer: 'admin',
    body: tokenChange,
    status: 200,
    response: tokenInfo,
    conditional: true,
  },
  rotateToken: {
    method: 'post',
    path: '/api/v1/tokens/{id}/rotate',
    summary: 'Give a token a new secret',
    bearer: 'admin',
    body: rotation,
    status: 200,
    response: issuedToken,
    conditional: true,
    idempotencyKey: true,
  },
  revokeToken: {
    method: 'delete',
    path: '/api/v1/tokens/{id}',
    summary: 'Revoke a token',
    bearer: 'admin',
    status: 204,
    conditional: true,
  },
  showOwnToken: {
    method: 'get',
    path: '/api/v1/token',
    summary: 'Show the token of the caller, and the models that it may use',
    bearer: 'client',
    status: 200,
    response: ownToken,
  },
  listProjects: {
    method: 'get',
    path: '/api/v1/projects',
    summary: 'List the projects, with the settings in force',
    bearer: 'admin',
    query: groupsQuery,
    status: 200,
    response: projectPage,
  },
  showProject: {
    method: 'get',
    path: '/api/v1/projects/{name}',
    summary: 'Show a project, with the settings in force',
    bearer: 'admin',
    status: 200,
    response: projectInfo,
    conditional: true,
  },
  setProject: {
    method: 'put',
    path: '/api/v1/projects/{name}',
    summary: 'Set all settings of a project, which is created if its name is new',
    bearer: 'admin',
    body: projectSettings,
    status: 200,
    response: projectInfo,
    conditional: true,
  },
  deleteProject: {
    method: 'delete',
    path: '/api/v1/projects/{name}',
    summary: 'Delete a project that has no tokens',
    bearer: 'admin',
    status: 204,
    conditional: true,
  },
  listUsers: {
    method: 'get',
    path: '/api/v1/users',
    summary: 'List the users, with the settings in force',
    bearer: 'admin',
    query: groupsQuery,
    status: 200,
    response: userPage,
  },
  showUser: {
    method: 'get',
    path: '/api/v1/users/{name}',
    summary: 'Show a user, with the settings in force',
    bearer: 'admin',
    status: 200,
    response: userInfo,
    conditional: true,
  },
  setUser: {
    method: 'put',
    path: '/api/v1/users/{name}',
    summary: 'Set all settings of a user, who is created if the name is new',
    bearer: 'admin',
    body: userSettings,
    status: 200,
    response: userInfo,
    conditional: true,
  },
  deleteUser: {
    method: 'delete',
    path: '/api/v1/users/{name}',
    summary: 'Delete a user who owns no tokens',
    bearer: 'admin',
    status: 204,
    conditional: true,
  },
  listUsage: {
    method: 'get',
    path: '/api/v1/usage',
    summary: 'List the attempts in the usage ledger, newest first',
    bearer: 'admin',
    query: usageQuery,
    status: 200,
    response: usagePage,
  },
  exportUsage: {
    method: 'get',
    path: '/api/v1/usage/export',
    summary: 'Export the attempts in the usage ledger, oldest first, as CSV or as lines of JSON',
    bearer: 'admin',
    query: exportQuery,
    status: 200,
    mediaTypes: ['text/csv', 'application/x-ndjson'],
  },
  listRejected: {
    method: 'get',
    path: '/api/v1/usage/rejected',
    summary: 'List the usage records that the ledger cannot hold, newest first',
    bearer: 'admin',
    query: rejectedQuery,
    status: 200,
    response: rejectedPage,
  },
  listRefused: {
    method: 'get',
    path: '/api/v1/usage/refused',
    summary:
      'List requests that the gateway refused before it called a provider, newest first: a few of each minute',
    bearer: 'admin',
    query: refusedQuery,
    status: 200,
    response: refusedPage,
  },
  totalRefused: {
    method: 'get',
    path: '/api/v1/usage/refused/totals',
    summary: 'Count the requests that the gateway refused, by token and reason',
    bearer: 'admin',
    query: refusedTotalsQuery,
    status: 200,
    response: refusedTotals,
  },
  totalUsage: {
    method: 'get',
    path: '/api/v1/usage/totals',
    summary: 'Count requests, and sum the usage of charged attempts, by one grouping',
    bearer: 'admin',
    query: totalsQuery,
    status: 200,
    response: usageTotals,
  },
  seriesUsage: {
    method: 'get',
    path: '/api/v1/usage/series',
    summary: 'Sum the usage, outcomes and times of requests and attempts over time, by one grouping',
    bearer: 'admin',
    query: seriesQuery,
    status: 200,
    response: usageSeries,
  },
  listRequests: {
    method: 'get',
    path: '/api/v1/requests',
    summary: 'List the logged requests without their texts, newest first',
    bearer: 'admin',
    query: requestsQuery,
    status: 200,
    response: loggedPage,
  },
  showRequest: {
    method: 'get',
    path: '/api/v1/requests/{id}',
    summary: 'Show a logged request with its texts, and its attempts in the usage ledger',
    bearer: 'admin',
    status: 200,
    response: loggedRequest,
    conditional: true,
  },
  deleteRequest: {
    method: 'delete',
    path: '/api/v1/requests/{id}',
    summary: 'Delete the texts of a logged request',
    bearer: 'admin',
    status: 204,
    conditional: true,
  },
  showHealth: {
    method: 'get',
    path: '/api/v1/health',
    summary: 'Show which targets and keys serve, rest or are probed, why, and since when',
    bearer: 'admin',
    query: healthQuery,
    status: 200,
    response: healthReport,
  },
  ...runningEndpoints,
  ...catalogEndpoints,
  ...peopleEndpoints,
  ...diagnosticsEndpoints,
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;

/** The body of an endpoint's response; undefined if it has none. */
export type ResponseOf<Name extends EndpointName> = (typeof endpoints)[Name] extends {
  response: infer Shape extends z.ZodMiniType;
}
  ? z.infer<Shape>
  : undefined;
