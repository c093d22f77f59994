import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import type { Express, Request, Response } from 'express';
import { readBody, sendJson } from '../common/body.ts';
import type { IssuedTokens } from '../common/issued-tokens.ts';
import type { Traffic } from '../common/traffic.ts';

const email = 'gateway@simulated-project.iam.gserviceaccount.com';
const audience = 'https://oauth2.googleapis.com/token';
const scope = 'https://www.googleapis.com/auth/cloud-platform';
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const lifeS = 3_600;
/** The difference of clocks that is allowed, in seconds. */
const leewayS = 300;

/**
 * Adds a service account of Google Cloud: its key, as the console would download it, and the token endpoint that the
 * key names. The endpoint checks the signature and the claims of the assertion, as RFC 7523 says.
 */
export function addGoogleAccount(app: Express, tokens: IssuedTokens, traffic: Traffic): void {
  let pair: { publicKey: KeyObject; pem: string } | undefined;
  const keys = () => {
    if (pair) return pair;
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    pair = { publicKey: createPublicKey(privateKey), pem };
    return pair;
  };
  app.get('/google/service-account', (request, response) =>
    sendJson(response, 200, {
      type: 'service_account',
      project_id: 'simulated-project',
      private_key_id: 'simulated',
      private_key: keys().pem,
      client_email: email,
      client_id: '100000000000000000000',
      token_uri: `${request.protocol}://${request.headers.host}/google/token`,
      universe_domain: 'googleapis.com',
    }),
  );
  app.post(
    '/google/token',
    (request, response) => void answer(request, response, { publicKey: keys().publicKey, tokens, traffic }),
  );
}

interface Account {
  publicKey: KeyObject;
  tokens: IssuedTokens;
  traffic: Traffic;
}

async function answer(
  request: Request,
  response: Response,
  { publicKey, tokens, traffic }: Account,
): Promise<void> {
  const body = await readBody(request);
  traffic.record(request, body);
  const form = new URLSearchParams(body);
  const problem = problemOf(form, publicKey);
  if (problem) {
    const [error, description] = problem;
    return sendJson(response, 400, { error, error_description: description });
  }
  const access_token = tokens.issue('ya29.', lifeS);
  sendJson(response, 200, { access_token, expires_in: lifeS - 1, token_type: 'Bearer' });
}

/** Returns what is wrong with a request of a token, in Google's words. */
function problemOf(
  form: URLSearchParams,
  publicKey: KeyObject,
): [error: string, description: string] | undefined {
  if (form.get('grant_type') !== grantType) return ['unsupported_grant_type', 'Invalid grant_type'];
  const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const signed = Buffer.from(`${head}.${claims}`);
  const { alg } = read(head);
  if (alg !== 'RS256' || !verify('sha256', signed, publicKey, Buffer.from(signature, 'base64url')))
    return ['invalid_grant', 'Invalid JWT Signature.'];
  const { iss, aud, iat, exp, scope: asked } = read(claims);
  if (iss !== email) return ['invalid_grant', 'Invalid grant: account not found'];
  if (aud !== audience) return ['invalid_grant', 'Invalid JWT: Failed audience check.'];
  const now = Date.now() / 1_000;
  if (!(Number(iat) < now + leewayS && Number(exp) > now - leewayS && Number(exp) - Number(iat) <= lifeS))
    return [
      'invalid_grant',
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
    ];
  return String(asked).split(' ').includes(scope)
    ? undefined
    : ['invalid_scope', 'Invalid OAuth scope or ID token audience provided.'];
}

function read(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString()));
  } catch {
    return {};
  }
}
