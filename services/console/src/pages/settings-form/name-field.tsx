import { Select, type SelectProps, TextInput, type TextInputProps } from '@mantine/core';
import type { NameProps } from './name-search.tsx';

/** The field for the name of a new record. */
export function NameField({ onChange, ...props }: NameProps & Omit<TextInputProps, keyof NameProps>) {
  return (
    <TextInput
      label="Name"
      required
      onChange={event => onChange(event.currentTarget.value)}
      spellCheck={false}
      autoCapitalize="off"
      {...props}
    />
  );
}

/** A field for one of some names. A value that is none of them stays, and is offered, too. */
export function NameSelect({
  names,
  value,
  onChange,
  ...props
}: NameProps & Omit<SelectProps, keyof NameProps | 'data'> & { names: string[] }) {
  return (
    <Select
      data={value && !names.includes(value) ? [value, ...names] : names}
      value={value || null}
      onChange={chosen => onChange(chosen ?? '')}
      {...props}
    />
  );
}
