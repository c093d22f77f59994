import { Checkbox, Fieldset, SimpleGrid, TextInput } from '@mantine/core';
import { type Messages, messageAt, messageIn } from '../settings-form/setting-props.ts';
import type { ProviderDraft } from './provider-draft.ts';

interface DiscoveryFieldProps {
  draft: ProviderDraft;
  onChange(change: Partial<ProviderDraft>): void;
  errors: Messages;
}

const texts = [
  { field: 'prefix', label: 'Prefix', description: 'Text before each name, such as house/.' },
  { field: 'every', label: 'Refresh', description: 'Time between two refreshes, such as 10m.' },
  { field: 'include', label: 'Include', description: 'Patterns of names, such as gpt-*; all if empty.' },
  { field: 'exclude', label: 'Exclude', description: 'Patterns of names that are left out.' },
] as const;

/** The discovery of a provider's models. */
export function DiscoveryField({ draft, onChange, errors }: DiscoveryFieldProps) {
  return (
    <Fieldset legend="Models" mt="md">
      <Checkbox
        label="Discover the models that the provider lists"
        checked={draft.discovers}
        onChange={event => onChange({ discovers: event.currentTarget.checked })}
        error={messageAt(errors, 'models')}
      />
      {draft.discovers && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} mt="sm">
          {texts.map(({ field, label, description }) => (
            <TextInput
              key={field}
              label={label}
              description={description}
              value={draft[field]}
              onChange={event => onChange({ [field]: event.currentTarget.value })}
              error={messageIn(errors, 'models', field)}
              spellCheck={false}
            />
          ))}
        </SimpleGrid>
      )}
    </Fieldset>
  );
}
