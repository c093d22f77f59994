import type { Finding, SessionInfo } from '@model-gateway/admin-api';
import { reasonOf } from '../../database/unreachable.ts';
import { isLoopback } from '../../people/oidc-options.ts';
import type { GatewayClient } from '../admin.ts';
import { findingsOf } from './finding.ts';

/** The longest time for a response, in milliseconds. */
const answerMs = 5_000;
/** A difference of clocks that is more than the precision of the header Date, in milliseconds. */
const skewMs = 2_000;

/** Checks that the gateway answers, whether credentials cross the network in clear, and the clock of this machine. */
export async function checkGateway(url: URL): Promise<Finding[]> {
  const { ok, warning, failed } = findingsOf('gateway');
  const askedAt = Date.now();
  const response = await ask(url, 'GET', '/api/v1/session/ways').catch((error: Error) => error);
  const answeredAt = Date.now();
  if (response instanceof Error)
    return [
      failed(
        `${url.href} does not answer: ${reasonOf(response)}`,
        'Correct GATEWAY_URL, or start the gateway. If the certificate is refused, see the check certificate.',
      ),
    ];
  const results: Finding[] = [];
  if (response.status === 200) results.push(ok(`${url.href} answers in ${answeredAt - askedAt} ms`));
  else
    results.push(
      failed(
        `${url.href} responds with status ${response.status}, where control should answer`,
        'Check that GATEWAY_URL is the base URL without a path, and that control runs.',
      ),
    );
  if (url.protocol === 'http:' && !isLoopback(url))
    results.push(
      warning(
        `${url.href} is not encrypted: tokens cross the network in clear`,
        'Put TLS before the gateway.',
      ),
    );
  return [...results, ...checkClock(response.headers.get('date'), askedAt, answeredAt)];
}

function checkClock(date: string | null, askedAt: number, answeredAt: number): Finding[] {
  const { ok, warning } = findingsOf('clock');
  const theirs = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return [];
  // The header has no parts of a second.
  const skew = answeredAt < theirs ? answeredAt - theirs : Math.max(0, askedAt - (theirs + 1_000));
  if (Math.abs(skew) < skewMs) return [ok('the clock of this machine agrees with that of the gateway')];
  const side = skew > 0 ? 'ahead of' : 'behind';
  return [
    warning(
      `the clock of this machine is ${Math.round(Math.abs(skew) / 1_000)} s ${side} that of the gateway`,
      'Synchronize it (NTP). Times of tokens and of --from and --to are those of the gateway.',
    ),
  ];
}

/** Checks the credential of the command. */
export async function checkCredential(
  admin: GatewayClient,
): Promise<{ findings: Finding[]; isAdmin: boolean }> {
  const { ok, warning, failed } = findingsOf('credential');
  const caller = await admin.call('showSession').catch((error: Error) => error);
  if (caller instanceof Error)
    return {
      findings: [
        failed(
          caller.message,
          'Sign in (gateway login), or set GATEWAY_ADMIN_TOKEN. Without the database only the admin token is known.',
        ),
      ],
      isAdmin: false,
    };
  const isAdmin = caller.role === 'admin' || caller.kind === 'admin-token';
  const found = `signed in as ${caller.name}${endOf(caller)}`;
  if (isAdmin) return { findings: [ok(found)], isAdmin };
  return {
    findings: [warning(`${found}, who is no admin`, 'Ask an admin: the inside is checked for admins alone.')],
    isAdmin,
  };
}

function endOf({ expiresAt }: SessionInfo): string {
  return expiresAt === null ? '' : ` until ${expiresAt}`;
}

/** A request without a credential to each part of the data plane. */
const parts = {
  chat: ['POST', '/v1/chat/completions'],
  messages: ['POST', '/v1/messages'],
  'generate-content': ['POST', '/v1beta/models/any:generateContent'],
  responses: ['POST', '/v1/responses'],
  embeddings: ['POST', '/v1/embeddings'],
  images: ['POST', '/v1/images/generations'],
  audio: ['POST', '/v1/audio/speech'],
  models: ['GET', '/v1/models'],
  realtime: ['POST', '/v1/realtime/client_secrets'],
} as const satisfies Record<string, readonly [method: string, path: string]>;

/** Checks that each part of the data plane answers through the base URL: it refuses a request without a credential. */
export async function checkIngress(url: URL): Promise<Finding[]> {
  const { ok, warning, failed } = findingsOf('ingress');
  const asked = Object.entries(parts).map(async ([name, [method, path]]) => {
    const answer = await ask(url, method, path).catch((error: Error) => error);
    return { name, path, answer };
  });
  const answers = await Promise.all(asked);
  const statusOf = (answer: Response | Error) => (answer instanceof Error ? undefined : answer.status);
  if (answers.every(({ answer }) => statusOf(answer) === 404))
    return [
      warning(
        'the data plane was not checked: this URL is that of control itself',
        'Set GATEWAY_URL to the URL of clients, which is that of the edge or of the front.',
      ),
    ];
  // generateContent answers 403 to a request without an API key.
  const refuses = (answer: Response | Error) => [401, 403].includes(statusOf(answer) ?? 0);
  const sound = answers.filter(({ answer }) => refuses(answer)).map(({ name }) => name);
  return [
    ...(sound.length > 0 ? [ok(`these answer: ${sound.join(', ')}`)] : []),
    ...answers
      .filter(({ answer }) => !refuses(answer))
      .map(({ name, path, answer }) =>
        answer instanceof Error
          ? failed(`${name} does not answer: ${reasonOf(answer)}`, adviceFor(name))
          : failed(
              `${name} responds with status ${answer.status} where it should refuse a request without a token, at ${path}`,
              adviceFor(name),
            ),
      ),
  ];
}

function adviceFor(name: string): string {
  return `Check that ${name === 'realtime' ? name : `ingress-${name}`} (or the front) runs and is ready, and that the proxy before it passes this path on.`;
}

async function ask(url: URL, method: string, path: string): Promise<Response> {
  const response = await fetch(new URL(`.${path}`, `${url.href.replace(/\/+$/, '')}/`), {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(answerMs),
    ...(method === 'POST' && { body: '{}', headers: { 'content-type': 'application/json' } }),
  });
  await response.body?.cancel();
  return response;
}

/** The longest time for the test of a provider, in milliseconds: control waits for a worker for less. */
export const testMs = 60_000;
/** The most providers that are tested at once. */
const atOnce = 4;

/** Sends each provider a tiny request by a worker. */
export async function checkProviders(admin: GatewayClient): Promise<Finding[]> {
  const providers = await admin.list('listProviders');
  const names = providers.map(({ name }) => name);
  const findings: Finding[] = [];
  for (let at = 0; at < names.length; at += atOnce)
    findings.push(
      ...(await Promise.all(names.slice(at, at + atOnce).map(name => checkProvider(admin, name)))),
    );
  return findings;
}

async function checkProvider(admin: GatewayClient, name: string): Promise<Finding> {
  const { ok, warning, failed } = findingsOf('provider test');
  try {
    const [result] = (await admin.call('testProvider', { params: { name }, body: {} })).data;
    if (!result) return warning(`${name} was not tested`, 'Look at the log of control.');
    const { model, works, ms, error } = result;
    if (works) return ok(`${name} answers as ${model} in ${ms} ms`);
    return failed(`${name} does not answer as ${model}: ${error?.message}`, adviceOn(error?.kind));
  } catch (error) {
    return warning(`${name} was not tested: ${(error as Error).message}`, `gateway provider test ${name}`);
  }
}

function adviceOn(kind: string | undefined): string {
  if (kind === 'unauthenticated' || kind === 'forbidden') return 'Set a valid API key for it.';
  if (kind === 'not-found') return "Compare the model's name and baseUrl with those of the provider.";
  if (kind === 'overloaded' || kind === 'timeout') return 'Look at its workers, and at the provider itself.';
  return 'Compare its baseUrl and kind with what the provider says, and look at the logs of the workers.';
}
