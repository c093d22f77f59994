import { Fieldset, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import { type Messages, messageAt } from '../settings-form/setting-props.ts';
import type { KeySource, ProviderDraft } from './provider-draft.ts';

const sources: Record<KeySource, string> = {
  none: 'None is needed',
  several: 'Keep its several keys',
  stored: 'Keep the stored one',
  value: 'A new secret',
  env: 'A variable of the workers',
  file: 'A file of the workers',
};

/** The field for the API key of a provider. A stored one is never shown. */
export function KeyField({
  draft: { keySource, keyText, apiKeys },
  onChange,
  errors,
}: {
  draft: ProviderDraft;
  onChange(part: Partial<ProviderDraft>): void;
  errors: Messages;
}) {
  // The gateway says at which part of the key the problem is.
  const message =
    messageAt(errors, 'apiKey') ??
    messageAt(errors, 'apiKeys') ??
    ['value', 'env', 'file'].map(part => messageAt(errors, 'apiKey', part)).find(Boolean);
  const type = (text: string) => onChange({ keyText: text });
  return (
    <Fieldset legend="API key">
      <Stack gap="sm">
        <Select
          label="Where it comes from"
          data={Object.entries(sources)
            .filter(([value]) => value !== 'several' || apiKeys.length > 0)
            .map(([value, label]) => ({ value, label }))}
          value={keySource}
          onChange={source => source && onChange({ keySource: source as KeySource, keyText: '' })}
          allowDeselect={false}
          error={['none', 'several', 'stored'].includes(keySource) ? message : undefined}
          comboboxProps={{ transitionProps: { duration: 0 } }}
        />
        {keySource === 'value' && (
          <PasswordInput
            label="Secret"
            description="It is sealed with the gateway's master key, and never shown again."
            autoComplete="off"
            required
            value={keyText}
            onChange={event => type(event.currentTarget.value)}
            error={message}
            visibilityToggleButtonProps={{
              'aria-label': 'Show or hide the secret',
              'aria-hidden': false,
              tabIndex: 0,
            }}
          />
        )}
        {(keySource === 'env' || keySource === 'file') && (
          <TextInput
            label={keySource === 'env' ? 'Name of the variable' : 'Path of the file'}
            description="GATEWAY_API_REFERENCES of control must allow it."
            required
            value={keyText}
            onChange={event => type(event.currentTarget.value)}
            error={message}
            spellCheck={false}
            autoCapitalize="off"
          />
        )}
      </Stack>
    </Fieldset>
  );
}
