import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import { useModelNames } from './model-names.ts';

const mostShown = 50;

/** A field for the name of one model, or for a pattern with one `*`. The names of the catalog are suggested. */
export function ModelNameInput(props: Omit<AutocompleteProps, 'data'>) {
  const names = useModelNames();
  return (
    <Autocomplete
      placeholder="gpt-* or a name"
      spellCheck={false}
      autoCapitalize="off"
      limit={mostShown}
      {...props}
      data={names}
    />
  );
}
