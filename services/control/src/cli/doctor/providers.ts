import type { Finding } from '@model-gateway/admin-api';
import type { GatewayClient } from '../admin.ts';
import { findingsOf } from './finding.ts';

/** The longest time for the test of a provider, in milliseconds: control waits for a worker for less. */
export const testMs = 60_000;
/** The most providers that are tested at once. */
const atOnce = 4;

const { ok, warning, failed } = findingsOf('provider test');

/** Sends each provider a tiny request by a worker. */
export async function checkProviders(admin: GatewayClient): Promise<Finding[]> {
  const providers = await admin.list('listProviders');
  const names = providers.map(({ name }) => name);
  const findings: Finding[] = [];
  for (let at = 0; at < names.length; at += atOnce)
    findings.push(...(await Promise.all(names.slice(at, at + atOnce).map(name => check(admin, name)))));
  return findings;
}

async function check(admin: GatewayClient, name: string): Promise<Finding> {
  try {
    const [result] = (await admin.call('testProvider', { params: { name }, body: {} })).data;
    if (!result) return warning(`${name} was not tested`, 'Look at the log of control.');
    const { model, works, ms, error } = result;
    if (works) return ok(`${name} answers as ${model} in ${ms} ms`);
    return failed(`${name} does not answer as ${model}: ${error?.message}`, adviceFor(error?.kind));
  } catch (error) {
    return warning(`${name} was not tested: ${(error as Error).message}`, `gateway provider test ${name}`);
  }
}

function adviceFor(kind: string | undefined): string {
  if (kind === 'unauthenticated' || kind === 'forbidden') return 'Set a valid API key for it.';
  if (kind === 'not-found') return "Compare the model's name and baseUrl with those of the provider.";
  if (kind === 'overloaded' || kind === 'timeout') return 'Look at its workers, and at the provider itself.';
  return 'Compare its baseUrl and kind with what the provider says, and look at the logs of the workers.';
}
