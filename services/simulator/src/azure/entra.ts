import { randomUUID } from 'node:crypto';
import type { Express, Request, Response } from 'express';
import { readBody, sendJson } from '../common/body.ts';
import type { IssuedTokens } from '../common/issued-tokens.ts';
import type { Traffic } from '../common/traffic.ts';

const scope = 'https://cognitiveservices.azure.com/.default';

/** The refusals of Microsoft Entra ID, by its error code. */
const refusals: Record<string, [error: string, description: string]> = {
  AADSTS90002: [
    'invalid_request',
    "Tenant 'missing-tenant' not found. Check to make sure you have the correct tenant ID.",
  ],
  AADSTS700016: [
    'unauthorized_client',
    "Application with identifier was not found in the directory 'simulator'.",
  ],
  AADSTS7000215: [
    'invalid_client',
    'Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID.',
  ],
  AADSTS500011: ['invalid_resource', 'The resource principal named was not found in the tenant.'],
};

/**
 * Adds the token endpoint of Microsoft Entra ID, for client credentials. It knows every tenant and application whose
 * name does not begin with `missing`, and every secret but `invalid`. A secret that names seconds, such as
 * `secret-5s`, gets a token that is valid for so long.
 */
export function addEntra(app: Express, tokens: IssuedTokens, traffic: Traffic): void {
  app.get('/:tenant/v2.0/.well-known/openid-configuration', (request, response) => {
    const tenant = `${request.protocol}://${request.headers.host}/${request.params.tenant}`;
    sendJson(response, 200, {
      issuer: `${tenant}/v2.0`,
      authorization_endpoint: `${tenant}/oauth2/v2.0/authorize`,
      token_endpoint: `${tenant}/oauth2/v2.0/token`,
      jwks_uri: `${tenant}/discovery/v2.0/keys`,
    });
  });
  app.post(
    '/:tenant/oauth2/v2.0/token',
    (request, response) => void answer(request, response, tokens, traffic),
  );
}

async function answer(
  request: Request,
  response: Response,
  tokens: IssuedTokens,
  traffic: Traffic,
): Promise<void> {
  const body = await readBody(request);
  traffic.record(request, body);
  const form = new URLSearchParams(body);
  const code = refusalOf(String(request.params.tenant), form);
  if (code) return refuse(response, code);
  const seconds = Number(/-(\d+)s$/.exec(form.get('client_secret') ?? '')?.[1] ?? 3_599);
  sendJson(response, 200, {
    token_type: 'Bearer',
    expires_in: seconds,
    ext_expires_in: seconds,
    access_token: tokens.issue('entra-', seconds),
  });
}

function refusalOf(tenant: string, form: URLSearchParams): string | undefined {
  if (isMissing(tenant)) return 'AADSTS90002';
  if (isMissing(form.get('client_id') ?? 'missing')) return 'AADSTS700016';
  if ((form.get('client_secret') ?? 'invalid') === 'invalid') return 'AADSTS7000215';
  return (form.get('scope') ?? '').split(' ').includes(scope) ? undefined : 'AADSTS500011';
}

function isMissing(name: string): boolean {
  return name.startsWith('missing');
}

function refuse(response: Response, code: string): void {
  const [error, description] = refusals[code] ?? ['server_error', ''];
  sendJson(response, error === 'invalid_client' ? 401 : 400, {
    error,
    error_description: `${code}: ${description} Trace ID: ${randomUUID()} Timestamp: 2026-01-01 00:00:00Z`,
    error_codes: [Number(code.slice('AADSTS'.length))],
  });
}
