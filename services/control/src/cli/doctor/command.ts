import type { Finding } from '@model-gateway/admin-api';
import { gatewayVersion } from '@model-gateway/service';
import type { GatewayClient } from '../admin.ts';
import { type Command, command, flag } from '../command.ts';
import { findingsOf, findingsText } from './finding.ts';
import { checkCredential, checkGateway, checkIngress, checkProviders, testMs } from './gateway.ts';
import { checkCertificate } from './tls.ts';

/** The longest time for the diagnostics of control, in milliseconds. */
const insideMs = 15_000;

/** The command that checks a running gateway. */
export const doctorCommand: Command = command({
  name: 'doctor',
  about: 'Check a running gateway, and say what to do about each finding',
  notes: [
    'It checks the URL and its certificate, the credential, the clock of this machine and each part of the data',
    'plane; and for an admin, by control: NATS, the database, clocks, versions, workers, providers, settings.',
    'The exit code is 1 if a check has failed. Nothing is changed, and no provider is asked without --providers.',
  ].join('\n'),
  examples: ['doctor', 'doctor --providers', "doctor --query 'checks[?status==`failed`]'"],
  options: { providers: flag('Send each provider a tiny request, which it may charge') },
  async run({ admin, target, values }) {
    const url = new URL(target().url);
    const [certificate, gateway] = await Promise.all([checkCertificate(url), checkGateway(url)]);
    const answers = gateway.some(({ check, status }) => check === 'gateway' && status === 'ok');
    const asksProviders = values.providers === true;
    const further = answers ? await Promise.all([checkIngress(url), checkInside(admin, asksProviders)]) : [];
    const findings = [...gateway, ...certificate, ...further.flat()];
    // Warnings alone do not count.
    const exitCode = findings.some(({ status }) => status === 'failed') ? 1 : 0;
    return { value: { checks: findings }, text: () => findingsText(findings), exitCode };
  },
});

/** Checks the credential, and what control checks. */
async function checkInside(
  access: (timeoutMs: number) => GatewayClient,
  asksProviders: boolean,
): Promise<Finding[]> {
  const { failed } = findingsOf('credential');
  let admin: GatewayClient;
  try {
    admin = access(insideMs);
  } catch (error) {
    return [failed((error as Error).message, 'Sign in: gateway login.')];
  }
  const { findings, isAdmin } = await checkCredential(admin);
  if (!isAdmin) return findings;
  const inside = await admin.call('showDiagnostics').catch((error: Error) => error);
  if (inside instanceof Error)
    return [
      ...findings,
      findingsOf('control').failed(
        `control has not checked the inside: ${inside.message}`,
        'Look at the log of control.',
      ),
    ];
  const providers = asksProviders ? await checkProviders(access(testMs)) : [];
  return [...findings, ...inside.checks, ...providers, ...checkVersion(inside.version)];
}

function checkVersion(version: string): Finding[] {
  if (version === gatewayVersion) return [];
  const found = `this command is ${gatewayVersion}, and control is ${version}`;
  return [findingsOf('command').warning(found, 'Use the command of the version that runs.')];
}
