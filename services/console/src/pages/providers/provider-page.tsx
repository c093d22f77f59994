import { Anchor, Group, Stack, TextInput } from '@mantine/core';
import type { ProviderInfo } from '@model-gateway/admin-api';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { EntryActions } from '../catalog/entry-actions.tsx';
import { EntryNotes, ManagedBy } from '../catalog/entry-marks.tsx';
import { EntryText } from '../catalog/entry-text.tsx';
import { settingsOfProvider } from '../catalog/settings-of.ts';
import { TestTarget } from '../catalog/test-target.tsx';
import { Facts } from '../layout/facts.tsx';
import { formatTime } from '../layout/format.ts';
import { Page, Section } from '../layout/page.tsx';
import { useResource } from '../layout/reading.ts';
import { RecordTabs } from '../layout/record-tabs.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { ProviderAttempts } from './provider-attempts.tsx';
import { ProviderModels } from './provider-models.tsx';
import { ProviderState } from './provider-state.tsx';

/** One provider: its state, what happened at it lately, the models that use it, its settings, and a test. */
export function ProviderPage() {
  const { name = '' } = useParams();
  const { value, etag, error, reload } = useResource('showProvider', { params: { name } });
  return (
    <Page
      title={name}
      about={
        <Anchor component={Link} to="/providers" size="sm">
          All providers
        </Anchor>
      }
      actions={value && <EntryActions kind="provider" entry={value} etag={etag} />}
    >
      {value ? <Provider provider={value} /> : error ? null : <Loading what={name} />}
      {error ? <Failed error={error} onRetry={() => void reload()} /> : null}
    </Page>
  );
}

function Provider({ provider }: { provider: ProviderInfo }) {
  const { name } = provider;
  const now = (
    <Stack>
      <ProviderState name={name} />
      <ProviderTest name={name} />
      <ProviderAttempts name={name} />
      <ProviderModels name={name} />
    </Stack>
  );
  const text = <EntryText list="providers" entry={settingsOfProvider(provider)} />;
  return (
    <>
      <EntryNotes entry={provider} />
      <RecordTabs
        label="Parts of the provider"
        tabs={[
          { value: 'now', label: 'Overview', content: now },
          { value: 'settings', label: 'Settings', content: <ProviderSettings provider={provider} /> },
          { value: 'text', label: 'As text', content: text },
        ]}
      />
    </>
  );
}

function ProviderTest({ name }: { name: string }) {
  const [model, setModel] = useState('');
  return (
    <Section title="Test">
      <Group align="flex-end" mb="xs">
        <TextInput
          label="Upstream model"
          description="Default: the first one that a model of the catalog uses."
          size="xs"
          value={model}
          spellCheck={false}
          autoCapitalize="off"
          onChange={event => setModel(event.currentTarget.value)}
        />
      </Group>
      <TestTarget endpoint="testProvider" name={name} model={model.trim()} />
    </Section>
  );
}

function ProviderSettings({ provider }: { provider: ProviderInfo }) {
  const { kind, baseUrl, apiKey, apiKeys, headers, api, batch, pool, createdAt, discovered } = provider;
  const names = Object.keys(headers);
  return (
    <Section title="Settings">
      <Facts
        facts={[
          ['Managed by', <ManagedBy key="by" {...provider} />],
          ['Kind', kind],
          ['Base URL', baseUrl ?? 'Vendor default'],
          apiKeys ? ['API keys', keysText(apiKeys)] : ['API key', keyText(apiKey)],
          ['Headers', names.length > 0 ? `${names.join(', ')} (values are never shown)` : 'None'],
          ['Proxy', proxyText(provider.proxy)],
          ['TLS', certificatesText(provider.tls)],
          ['API formats', api === null ? 'Kind default' : [api].flat().join(', ')],
          ['Max batch size', batch ?? 'Kind default'],
          ['Worker pool', pool],
          ['Discovered models', discoveredText(discovered)],
          ['Created', formatTime(createdAt)],
        ]}
      />
    </Section>
  );
}

function proxyText(proxy: ProviderInfo['proxy']): string {
  if (proxy === null) return 'Worker default';
  return typeof proxy === 'string' ? proxy : proxy.url;
}

function certificatesText(tls: ProviderInfo['tls']): string {
  const { ca, cert, serverName } = tls ?? {};
  const parts = [
    ca ? `CA ${ca.file}` : 'Public CAs',
    ...(serverName ? [`server name ${serverName}`] : []),
    ...(cert ? [`client certificate ${cert.file}`] : []),
  ];
  return parts.join(', ');
}

function keyText(apiKey: ProviderInfo['apiKey']): string {
  if (apiKey === null) return 'None';
  if ('env' in apiKey) return `Environment variable ${apiKey.env} of the workers`;
  if ('file' in apiKey) return `File ${apiKey.file} of the workers`;
  return 'Stored, sealed with the master key';
}

/** Returns the names of several keys, with the weights that are not 1. */
function keysText(apiKeys: NonNullable<ProviderInfo['apiKeys']>): string {
  return apiKeys
    .map(({ name, weight }, at) => `${name ?? at + 1}${weight === undefined ? '' : ` (weight ${weight})`}`)
    .join(', ');
}

function discoveredText(discovered: ProviderInfo['discovered']): string {
  if (discovered === null) return 'None';
  const { models, refreshedAt, error } = discovered;
  const listed = refreshedAt ? `${models}, refreshed ${formatTime(refreshedAt)}` : 'Not refreshed yet';
  return error === null ? listed : `${listed}; the last refresh failed: ${error}`;
}
