import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useResource } from '../layout/use-resource.ts';

const typingMs = 200;

/** The properties that fields for a name share. */
export interface NameProps {
  value: string;
  onChange(value: string): void;
  error?: ReactNode;
}

type NameSearchProps = Omit<AutocompleteProps, 'data' | 'value'> & {
  list: 'listProjects' | 'listUsers';
  value: string;
};

/** A field for a name, which suggests the names of a list that match what is typed. */
export function NameSearch({ list, value, ...props }: NameSearchProps) {
  const [typed] = useDebouncedValue(value.trim(), typingMs);
  const { value: found } = useResource(list, { query: { limit: '20', ...(typed && { name: typed }) } });
  return <Autocomplete data={found?.data.map(({ name }) => name) ?? []} value={value} {...props} />;
}
