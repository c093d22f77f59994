import { z } from 'zod';
import { type Env, readVariable } from './config.ts';
import { type SettingName, settingSchemas } from './settings.ts';

/** The settings that are secrets themselves. */
const secrets: ReadonlySet<SettingName> = new Set<SettingName>([
  'GATEWAY_ADMIN_TOKEN',
  'GATEWAY_ADMIN_PASSWORD',
  'GATEWAY_OIDC_CLIENT_SECRET',
  'GATEWAY_MASTER_KEY',
  'GATEWAY_POOL_KEY',
  'GATEWAY_FIRST_TOKEN',
  'GATEWAY_FIRST_TOKEN_SHA256',
  'GATEWAY_BUDGET_WEBHOOK_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
]);

/** The settings that are URLs in which a credential may be. */
const urls: ReadonlySet<SettingName> = new Set<SettingName>([
  'DATABASE_URL',
  'NATS_URL',
  'GATEWAY_BUDGET_WEBHOOK',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'HTTP_PROXY',
  'HTTPS_PROXY',
]);

/** A setting in force, without its secret. */
interface ReportedSetting {
  name: SettingName;
  /** As in the environment, else the default; null if neither is a fixed text. */
  value: string | null;
  /** The default, which may be in words; null if there is none. */
  default: string | null;
  /** The source of the value: its environment variable, the file that `<NAME>_FILE` names, or the default. */
  source: 'environment' | 'file' | 'default';
  description: string;
}

/** Returns settings as an admin may see them. */
export function reportSettings(names: readonly SettingName[], env?: Env): ReportedSetting[] {
  return names.map(name => {
    const { description, defaultText, fixedDefault } = describeSetting(name);
    const given = readAgain(name, env);
    const value = given ? given.text && withoutSecret(name, given.text) : fixedDefault;
    return { name, value, default: defaultText, source: given?.source ?? 'default', description };
  });
}

/** Reads a setting as the start of the process did. Its file may have gone since, and the text is null then. */
function readAgain(
  name: SettingName,
  env: Env | undefined,
): { text: string | null; source: 'environment' | 'file' } | undefined {
  try {
    return readVariable(name, env);
  } catch {
    return { text: null, source: 'file' };
  }
}

/** Returns the description of a setting and its default: in words, and as the text that stands in the environment. */
export function describeSetting(name: SettingName): {
  description: string;
  defaultText: string | null;
  fixedDefault: string | null;
} {
  const schema: z.ZodType = settingSchemas[name];
  const { description = '', defaultInWords } = schema.meta() ?? {};
  const isFixed = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  const isText = isFixed && typeof defaultInWords !== 'string';
  const fixedDefault = isText ? String(schema.def.defaultValue) : null;
  return {
    description,
    defaultText: typeof defaultInWords === 'string' ? defaultInWords : fixedDefault,
    fixedDefault,
  };
}

function withoutSecret(name: SettingName, text: string): string {
  if (secrets.has(name)) return '(secret)';
  return urls.has(name) ? text.split(',').map(addressOf).join(',') : text;
}

/** Returns the scheme, host and port of a URL. Its path and query may hold credentials, too. */
function addressOf(text: string): string {
  const url = URL.parse(text.trim());
  return url ? `${url.protocol}//${url.host}` : '(secret)';
}
