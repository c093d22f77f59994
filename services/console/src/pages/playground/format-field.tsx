import { NativeSelect } from '@mantine/core';
import { type FormatName, formatNames } from './conversation/part.ts';
import { formats } from './formats/formats.ts';

/** A field for the wire format of the next request. The same conversation goes on in any of them. */
export function FormatField({ value, onChange }: { value: FormatName; onChange(format: FormatName): void }) {
  return (
    <NativeSelect
      label="Wire format"
      data={formatNames.map(name => ({ value: name, label: formats[name].label }))}
      value={value}
      onChange={event => onChange(event.currentTarget.value as FormatName)}
    />
  );
}
