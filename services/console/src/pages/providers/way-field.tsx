import { Fieldset, Select, SimpleGrid, TextInput } from '@mantine/core';
import { type Messages, messageAt, messageIn } from '../settings-form/setting-props.ts';
import { SecretField } from './secret-field.tsx';
import { type CertificateField, certificateFields, type WayDraft } from './way-draft.ts';

interface WayProps {
  draft: WayDraft;
  onChange(part: Partial<WayDraft>): void;
  errors: Messages;
}

const certificates: Record<CertificateField, { label: string; description: string }> = {
  ca: {
    label: 'File of CA certificates',
    description: "Those that may have issued the provider's certificate, in place of the public ones.",
  },
  serverName: {
    label: "Name in the provider's certificate",
    description: 'If it is not the host of the base URL.',
  },
  cert: { label: 'File of the client certificate', description: 'Shown to the provider.' },
  key: { label: 'File of its private key', description: 'Required with a client certificate.' },
};

/** The fields for the way to a provider: its proxy and its certificates. */
export function WayField({ draft, onChange, errors }: WayProps) {
  return (
    <>
      <ProxyField draft={draft} onChange={onChange} errors={errors} />
      <Fieldset legend="Certificates">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          {certificateFields.map(field => (
            <TextInput
              key={field}
              {...certificates[field]}
              placeholder={field === 'serverName' ? '' : '/etc/house/file.pem'}
              value={draft.tls[field]}
              onChange={event => onChange({ tls: { ...draft.tls, [field]: event.currentTarget.value } })}
              error={messageIn(errors, 'tls', field)}
              spellCheck={false}
              autoCapitalize="off"
            />
          ))}
        </SimpleGrid>
      </Fieldset>
    </>
  );
}

function ProxyField({ draft: { proxy, proxyUrl, proxyUser, proxyPassword }, onChange, errors }: WayProps) {
  const overall = messageAt(errors, 'proxy');
  return (
    <Fieldset legend="Proxy">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Requests go through"
          data={[
            { value: 'workers', label: 'The proxy of the workers, if any' },
            { value: 'none', label: 'No proxy' },
            { value: 'url', label: 'A proxy of its own' },
          ]}
          value={proxy}
          onChange={chosen => chosen && onChange({ proxy: chosen as WayDraft['proxy'] })}
          allowDeselect={false}
          error={proxy === 'url' ? undefined : overall}
        />
        {proxy === 'url' && (
          <>
            <TextInput
              label="URL of the proxy"
              description="It must allow CONNECT."
              placeholder="http://proxy.corp.example:3128"
              required
              value={proxyUrl}
              onChange={event => onChange({ proxyUrl: event.currentTarget.value })}
              error={messageAt(errors, 'proxy', 'url') ?? overall}
              spellCheck={false}
              inputMode="url"
            />
            <TextInput
              label="User name at the proxy"
              value={proxyUser}
              onChange={event => onChange({ proxyUser: event.currentTarget.value })}
              error={messageAt(errors, 'proxy', 'username')}
              spellCheck={false}
              autoCapitalize="off"
            />
            <SecretField
              label="Password at the proxy"
              value={proxyPassword}
              onChange={password => onChange({ proxyPassword: password })}
              optional
              error={messageIn(errors, 'proxy', 'password')}
            />
          </>
        )}
      </SimpleGrid>
    </Fieldset>
  );
}
