import { Select } from '@mantine/core';
import { useState } from 'react';
import type { TimeSpan } from '../layout/range.ts';
import type { Grouping } from './key-label.ts';
import { type UsageFilters, useSeries } from './usage-query.ts';

/** The most choices that a field has. */
const mostChoices = 500;

/** A field for one value of a filter: those that have usage in a time and fulfil the other filters, highest cost first. */
export function FilterSelect({
  label,
  by,
  span,
  filters,
  labelOf = key => key,
  onChange,
}: {
  label: string;
  by: Grouping;
  span: TimeSpan;
  filters: UsageFilters;
  labelOf?(key: string): string;
  onChange(value: string): void;
}) {
  const [opened, setOpened] = useState(false);
  const value = filters[by] || null;
  const others = { ...filters, [by]: '' };
  const { data, isFetching } = useSeries({
    ...{ filters: others, by, span, step: 'all', top: mostChoices, enabled: opened },
  });
  const keys = (data?.by === by ? data.data : []).flatMap(({ key }) => (key ? [key] : []));
  const choices = value === null || keys.includes(value) ? keys : [value, ...keys];
  return (
    <Select
      label={label}
      size="xs"
      w={150}
      placeholder="All"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      value={value}
      data={choices.map(key => ({ value: key, label: labelOf(key) }))}
      nothingFoundMessage={isFetching ? 'Loading' : 'No matches'}
      maxDropdownHeight={300}
      limit={100}
      onDropdownOpen={() => setOpened(true)}
      onDropdownClose={() => setOpened(false)}
      onChange={chosen => onChange(chosen ?? '')}
    />
  );
}
