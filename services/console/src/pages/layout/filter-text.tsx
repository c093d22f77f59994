import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

/** The pause in typing after which a filter is applied, in milliseconds. */
const pauseMs = 250;

/** A field for the text of a filter. It is applied when the user pauses. */
export function FilterText({
  label,
  value,
  onChange,
  placeholder,
  w = 200,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
  placeholder?: string;
  w?: number | string;
}) {
  const [text, setText] = useState(value);
  const applied = useRef(value);
  const apply = useDebouncedCallback((next: string) => {
    applied.current = next;
    onChange(next);
  }, pauseMs);
  // A value from elsewhere, such as a link, takes the place of the text. The field's own value does not: the user may have typed on.
  useEffect(() => {
    if (value === applied.current) return;
    applied.current = value;
    setText(value);
  }, [value]);
  const type = (next: string) => {
    setText(next);
    apply(next.trim());
  };
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={text}
      size="xs"
      w={w}
      spellCheck={false}
      autoCapitalize="off"
      onChange={event => type(event.currentTarget.value)}
      rightSection={text && <CloseButton size="xs" aria-label={`Clear ${label}`} onClick={() => type('')} />}
    />
  );
}
