import type { Settings } from '@model-gateway/service';
import type { StoredOptions } from './lasting-streams.ts';

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
  'GATEWAY_MASTER_KEY',
  'GATEWAY_FIRST_TOKEN',
  'GATEWAY_FIRST_TOKEN_SHA256',
  'GATEWAY_USAGE_RETENTION',
  'GATEWAY_ROLLUP_RETENTION',
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
