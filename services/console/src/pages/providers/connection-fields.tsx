import { Fieldset, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { ProviderSettings } from '@model-gateway/admin-api';
import { messageAt, messageIn, part, type SettingProps } from '../layout/setting-props.ts';
import { TextSetting } from '../settings-form/inputs.tsx';
import { AddButton, RemoveButton, repeatedName, useEntries } from '../settings-form/rows.tsx';
import classes from '../settings-form/settings-form.module.css';
import { isStored, type Secret } from './kept-keys.ts';
import { SecretField } from './secret-field.tsx';

type Headers = NonNullable<ProviderSettings['headers']>;

/** Fields for the headers that are sent with each request to a provider. Stored values are never shown. */
export function HeadersField({ value, onChange, path, errors }: SettingProps<Headers | null | undefined>) {
  const { rows, add } = useEntries(value, headers =>
    onChange(Object.keys(headers).length > 0 ? headers : undefined),
  );
  return (
    <Fieldset legend="Headers">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Sent with each request. Their values are sealed like secrets.
        </Text>
        {rows.map(({ key, name, value: text, isRepeated, change, remove }, place) => {
          const secret: Secret = typeof text === 'string' ? { value: text } : text;
          return (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would be read with both legends
            <div key={key} role="group" aria-label={`Header ${place + 1}`} className={classes.entry}>
              <Group gap="xs" align="flex-end" wrap="nowrap">
                <TextInput
                  label="Name"
                  placeholder="x-team"
                  className={classes.grow}
                  value={name}
                  disabled={isStored(secret)}
                  onChange={event => change({ name: event.currentTarget.value })}
                  error={isRepeated ? repeatedName : undefined}
                  spellCheck={false}
                  autoCapitalize="off"
                />
                <RemoveButton label={`Remove the header ${name || place + 1}`} onClick={remove} />
              </Group>
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
                <SecretField
                  label="Value"
                  value={secret}
                  // The value of a header is a text where a secret has one in an object.
                  onChange={typed => typed && change({ value: 'value' in typed ? typed.value : typed })}
                  error={messageIn(errors, [...path, name.trim()])}
                />
              </SimpleGrid>
            </div>
          );
        })}
        <AddButton onClick={() => add('')}>Add a header</AddButton>
      </Stack>
    </Fieldset>
  );
}

type Proxy = NonNullable<ProviderSettings['proxy']>;
type ProxyWithLogin = Exclude<Proxy, string>;

/** The fields for the proxy of a provider. */
export function ProxyField({ value, onChange, path, errors }: SettingProps<Proxy | null | undefined>) {
  const own: ProxyWithLogin | undefined =
    value && value !== 'none' ? (typeof value === 'string' ? { url: value } : value) : undefined;
  const change = (changed: Partial<ProxyWithLogin>) => {
    const { url = '', username, password } = { ...own, ...changed };
    const isBare = url !== '' && !username && !password;
    onChange(isBare ? url : { url, ...(username && { username }), ...(password && { password }) });
  };
  const choices = {
    workers: { label: 'Worker default', proxy: undefined },
    none: { label: 'No proxy', proxy: 'none' },
    own: { label: 'Custom proxy', proxy: { url: '' } },
  };
  return (
    <Fieldset legend="Proxy">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Proxy mode"
          data={Object.entries(choices).map(([choice, { label }]) => ({ value: choice, label }))}
          value={own ? 'own' : value === 'none' ? 'none' : 'workers'}
          onChange={chosen => chosen && onChange(choices[chosen as keyof typeof choices].proxy)}
          allowDeselect={false}
          error={own ? undefined : messageAt(errors, path)}
        />
        {own && (
          <>
            <TextSetting
              value={own.url}
              onChange={url => change({ url })}
              path={[...path, 'url']}
              errors={{ ...(errors ?? {}), 'proxy.url': errors?.['proxy.url'] ?? errors?.proxy }}
              label="Proxy URL"
              description="Must allow CONNECT."
              placeholder="http://proxy.corp.example:3128"
              required
              inputMode="url"
            />
            <TextSetting
              value={own.username}
              onChange={username => change({ username })}
              path={[...path, 'username']}
              {...(errors && { errors })}
              label="Username"
            />
            <SecretField
              label="Password"
              value={own.password}
              onChange={password => change({ password })}
              optional
              error={messageIn(errors, [...path, 'password'])}
            />
          </>
        )}
      </SimpleGrid>
    </Fieldset>
  );
}

type Tls = NonNullable<ProviderSettings['tls']>;

const files = {
  ca: { label: 'CA certificate file', description: 'Trusted in place of the public CAs.' },
  cert: { label: 'Client certificate file', description: 'Presented to the provider (mTLS).' },
  key: { label: 'Client key file', description: 'Required with a client certificate.' },
} as const;

/** The fields for the certificates of the connections to a provider. */
export function TlsField(props: SettingProps<Tls | null | undefined>) {
  return (
    <Fieldset legend="TLS">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {(Object.keys(files) as (keyof typeof files)[]).map(name => {
          const { value, onChange, ...field } = part(props, name);
          return (
            <TextSetting
              key={name}
              {...field}
              {...files[name]}
              value={value?.file}
              onChange={file => onChange(file === undefined ? undefined : { file })}
              placeholder="/etc/house/file.pem"
            />
          );
        })}
        <TextSetting
          {...part(props, 'serverName')}
          label="Server name"
          description="The name in the provider's certificate, if it is not the host of the base URL."
        />
      </SimpleGrid>
    </Fieldset>
  );
}
