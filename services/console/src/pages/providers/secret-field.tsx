import { Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { SecretInput } from '../layout/secret-input.tsx';
import { isStored, type Secret } from './kept-keys.ts';

type Source = 'none' | 'value' | 'env' | 'file';

const sources: Record<Source, string> = {
  none: 'None',
  value: 'Secret',
  env: 'Environment variable',
  file: 'File',
};

interface SecretFieldProps {
  /** The label of the choice of the source. */
  label: string;
  /** Undefined for none. */
  value: Secret | undefined;
  onChange(value: Secret | undefined): void;
  /** True if there may be none. */
  optional?: boolean;
  error: ReactNode;
}

/** The fields for a secret. A stored one is never shown, and kept unless another is typed. */
export function SecretField({ label, value, onChange, optional = false, error }: SecretFieldProps) {
  const [stored, setStored] = useState(value);
  // A form that is saved or undone has a stored secret again.
  if (isStored(value) && JSON.stringify(value) !== JSON.stringify(stored)) setStored(value);
  const kept = isStored(stored) ? stored : undefined;
  const source = sourceOf(value);
  const none: Record<Source, Secret | undefined> = {
    none: undefined,
    value: kept ?? { value: '' },
    env: { env: '' },
    file: { file: '' },
  };
  return (
    <>
      <Select
        label={label}
        data={(Object.keys(sources) as Source[])
          .filter(each => optional || each !== 'none')
          .map(each => ({ value: each, label: sources[each] }))}
        value={source}
        onChange={chosen => chosen && onChange(none[chosen as Source])}
        allowDeselect={false}
        error={source === 'none' ? error : undefined}
      />
      {source === 'value' && (
        <SecretInput
          noun="secret"
          label="Secret"
          description={
            kept
              ? 'A secret is stored. Leave empty to keep it.'
              : "Sealed with the gateway's master key, and never shown again."
          }
          placeholder={kept ? 'stored' : ''}
          autoComplete="off"
          required={!kept}
          value={value && 'value' in value ? value.value : ''}
          onChange={event => {
            const typed = event.currentTarget.value;
            onChange(kept && typed === '' ? kept : { value: typed });
          }}
          error={error}
        />
      )}
      {value && ('env' in value || 'file' in value) && (
        <TextInput
          label={'env' in value ? 'Variable name' : 'File path'}
          description="On the workers. GATEWAY_API_REFERENCES of control must allow it."
          required
          value={'env' in value ? value.env : value.file}
          onChange={event => {
            const text = event.currentTarget.value.trim();
            onChange('env' in value ? { env: text } : { file: text });
          }}
          error={error}
          spellCheck={false}
          autoCapitalize="off"
        />
      )}
    </>
  );
}

function sourceOf(value: Secret | undefined): Source {
  if (!value) return 'none';
  if ('env' in value) return 'env';
  return 'file' in value ? 'file' : 'value';
}
