import type { Sealer } from '@model-gateway/catalog';
import { ConfigError, type Settings } from '@model-gateway/service';
import type { Webhook } from './budgets/webhook.ts';
import type { StoredOptions } from './lasting-streams.ts';
import { forgetMadePassword } from './people/first-admin.ts';
import { type OidcOptions, oidcOptions } from './people/oidc-options.ts';
import type { SessionTimes } from './people/sessions.ts';
import { tokenBoundSettings } from './tokens/token-bounds.ts';

/** The settings of the streams that control creates for what ingresses store. */
export const storedSettings = [
  'GATEWAY_NATS_REPLICAS',
  'GATEWAY_RESPONSES_TTL',
  'GATEWAY_RESPONSES_BYTES',
  'GATEWAY_REALTIME_SECRETS_BYTES',
] as const;

export const controlSettings = [
  ...storedSettings,
  'DATABASE_URL',
  'GATEWAY_DATA',
  'GATEWAY_CONFIG',
  'GATEWAY_ADMIN_TOKEN',
  'GATEWAY_ADMIN_PASSWORD',
  'GATEWAY_SESSION_IDLE',
  'GATEWAY_SESSION_LIFETIME',
  'GATEWAY_PUBLIC_URL',
  'GATEWAY_OIDC_ISSUER',
  'GATEWAY_OIDC_CLIENT_ID',
  'GATEWAY_OIDC_CLIENT_SECRET',
  'GATEWAY_OIDC_SCOPES',
  'GATEWAY_OIDC_GROUPS',
  'GATEWAY_OIDC_ROLES',
  'GATEWAY_OIDC_NEW_USERS',
  'GATEWAY_MASTER_KEY',
  'GATEWAY_POOL_KEYS',
  'GATEWAY_API_REFERENCES',
  'GATEWAY_FIRST_TOKEN',
  'GATEWAY_FIRST_TOKEN_SHA256',
  ...tokenBoundSettings,
  'GATEWAY_USAGE_RETENTION',
  'GATEWAY_ROLLUP_RETENTION',
  'GATEWAY_BUDGET_THRESHOLDS',
  'GATEWAY_BUDGET_WEBHOOK',
  'GATEWAY_BUDGET_WEBHOOK_SECRET',
] as const;
export type ControlSetting = (typeof controlSettings)[number];

export function storedOptions(settings: Settings<(typeof storedSettings)[number]>): StoredOptions {
  return {
    replicas: settings.GATEWAY_NATS_REPLICAS,
    responsesMs: settings.GATEWAY_RESPONSES_TTL,
    responsesBytes: settings.GATEWAY_RESPONSES_BYTES,
    secretsBytes: settings.GATEWAY_REALTIME_SECRETS_BYTES,
  };
}

export function retentionOptions(settings: Settings<ControlSetting>): {
  attemptsMs: number;
  rollupsMs: number;
} {
  return {
    attemptsMs: settings.GATEWAY_USAGE_RETENTION,
    rollupsMs: settings.GATEWAY_ROLLUP_RETENTION,
  };
}

/** Returns the options of notices about budgets. @throws ConfigError if the webhook has no secret, or cannot be called */
export function noticeOptions({
  GATEWAY_BUDGET_THRESHOLDS: thresholds,
  GATEWAY_BUDGET_WEBHOOK: url,
  GATEWAY_BUDGET_WEBHOOK_SECRET: secret,
}: Settings<ControlSetting>): { thresholds: number[]; webhook?: Webhook } {
  if (url === undefined) return { thresholds };
  if (secret === undefined)
    throw new ConfigError('GATEWAY_BUDGET_WEBHOOK_SECRET: is required with GATEWAY_BUDGET_WEBHOOK');
  const { username, password } = new URL(url);
  if (username || password)
    throw new ConfigError('GATEWAY_BUDGET_WEBHOOK: must not hold a user name or password');
  return { thresholds, webhook: { url, secret } };
}

/** Returns the part of the admin API's options that concerns people. @throws ConfigError if a setting is missing or invalid */
export function peopleOptions(
  settings: Settings<ControlSetting>,
  signIn: Sealer,
): {
  sessions: SessionTimes;
  publicUrl: string | undefined;
  oidc: OidcOptions | undefined;
  passwordChanged(user: string): void;
} {
  return {
    sessions: { idleMs: settings.GATEWAY_SESSION_IDLE, longestMs: settings.GATEWAY_SESSION_LIFETIME },
    publicUrl: settings.GATEWAY_PUBLIC_URL,
    oidc: oidcOptions(settings, signIn),
    passwordChanged: user => forgetMadePassword(user, settings),
  };
}
