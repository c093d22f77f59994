import type { ProviderInfo } from '@model-gateway/admin-api';
import { type Command, text } from './command.ts';
import { readText } from './document-file.ts';
import { UsageError } from './exit-codes.ts';
import { listOf } from './option-values.ts';
import { settingCommands, testCommand } from './setting-commands.ts';
import { managerText } from './setting-values.ts';

const ofSettings = settingCommands({
  noun: 'provider',
  names: 'providers',
  isDocument: true,
  endpoints: { list: 'listProviders', show: 'showProvider', set: 'setProvider', remove: 'deleteProvider' },
  about: {
    list: 'List the providers: those of gateway.yaml, then those of the API',
    show: 'Show a provider',
    remove: 'Delete a provider of the API',
  },
  options: {
    kind: text('KIND', 'such as openai, anthropic, gemini, ollama or openai-compatible'),
    'base-url': text('URL', 'its base URL, if not that of the vendor'),
    api: text('FORMATS', 'of generate, the preferred one first, such as responses,chat'),
    'api-key-file': text('FILE', 'a file here with its API key, which is stored sealed; - is standard input'),
    'api-key-env': text('NAME', 'the variable of workers with its API key; several with a comma between two'),
    pool: text('POOL', 'the workers that may call it'),
    discover: text('PREFIX', 'list its models itself, with this text before each name; off ends it'),
    options: text('NAME=VALUE,…', 'the settings that only its kind has, such as region=eu-west-1'),
  },
  change: values => ({
    kind: values.kind,
    baseUrl: values['base-url'] === '' ? null : values['base-url'],
    api: listOf(values.api) || (values.api === undefined ? undefined : null),
    ...keysOf(values['api-key-file'], values['api-key-env']),
    pool: values.pool === '' ? null : values.pool,
    options: optionsOf(values.options),
    models: discoveryOf(values.discover),
  }),
  head: ['NAME', 'KIND', 'BASE URL', 'API KEY', 'POOL', 'MANAGED BY', 'PROBLEMS'],
  row: provider => [
    provider.name,
    provider.kind,
    provider.baseUrl ?? "the vendor's",
    provider.apiKeys ? `${provider.apiKeys.length} keys` : apiKeyText(provider.apiKey),
    provider.pool,
    managerText(provider),
    provider.problems.join('; ') || '-',
  ],
});

export const providerCommands: readonly Command[] = [...ofSettings, testCommand('provider')];

function discoveryOf(prefix: string | undefined): object | null | undefined {
  if (prefix === undefined) return undefined;
  if (prefix === 'off') return null;
  return { discover: true, ...(prefix && { prefix }) };
}

function optionsOf(text: string | undefined): Record<string, string> | null | undefined {
  if (text === undefined) return undefined;
  if (text === '') return null;
  return Object.fromEntries(
    text.split(',').map(pair => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError('--options must be NAME=VALUE, with a comma between two of them');
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}

function apiKeyOf(file: string | undefined, env: string | undefined): object | null | undefined {
  if (file && env) throw new UsageError('--api-key-file cannot be given with --api-key-env');
  if (file) return { value: readText(file).trim() };
  if (env) return { env };
  return file === undefined && env === undefined ? undefined : null;
}

/** One key takes the place of several, and the other way around. */
function keysOf(file: string | undefined, env: string | undefined): object {
  const names = listOf(env) || [];
  if (names.length > 1 && !file)
    return { apiKey: null, apiKeys: names.map(name => ({ key: { env: name } })) };
  const apiKey = apiKeyOf(file, env);
  return apiKey === undefined ? {} : { apiKey, apiKeys: null };
}

function apiKeyText(apiKey: ProviderInfo['apiKey']): string {
  if (!apiKey) return '-';
  if ('env' in apiKey) return `env ${apiKey.env}`;
  return 'file' in apiKey ? `file ${apiKey.file}` : 'set';
}
