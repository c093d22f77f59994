import { Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { SecretInput } from '../layout/secret-input.tsx';
import type { SecretDraft, SecretSource } from './secret-draft.ts';

const sources: Record<SecretSource, string> = {
  none: 'None',
  value: 'A secret',
  env: 'A variable of the workers',
  file: 'A file of the workers',
};

interface SecretFieldProps {
  /** The label of the choice of the source. */
  label: string;
  value: SecretDraft;
  onChange(value: SecretDraft): void;
  /** False if there must be a secret. */
  optional?: boolean;
  error: ReactNode;
}

/** The fields for a secret. A stored one is never shown, and kept unless another is typed. */
export function SecretField({ label, value, onChange, optional = false, error }: SecretFieldProps) {
  const { source, text, stored } = value;
  const type = (typed: string) => onChange({ ...value, text: typed });
  return (
    <>
      <Select
        label={label}
        data={Object.entries(sources)
          .filter(([each]) => optional || each !== 'none')
          .map(([each, name]) => ({ value: each, label: name }))}
        value={source}
        onChange={chosen => chosen && onChange({ ...value, source: chosen as SecretSource, text: '' })}
        allowDeselect={false}
        error={source === 'none' ? error : undefined}
      />
      {source === 'value' && (
        <SecretInput
          noun="secret"
          label="Secret"
          description={
            stored
              ? 'One is stored. It is kept unless you type another.'
              : "It is sealed with the gateway's master key, and never shown again."
          }
          placeholder={stored ? 'stored' : ''}
          autoComplete="off"
          required={!stored}
          value={text}
          onChange={event => type(event.currentTarget.value)}
          error={error}
        />
      )}
      {(source === 'env' || source === 'file') && (
        <TextInput
          label={source === 'env' ? 'Name of the variable' : 'Path of the file'}
          description="GATEWAY_API_REFERENCES of control must allow it."
          required
          value={text}
          onChange={event => type(event.currentTarget.value)}
          error={error}
          spellCheck={false}
          autoCapitalize="off"
        />
      )}
    </>
  );
}
