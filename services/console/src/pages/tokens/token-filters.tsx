import { Button, Group, Select } from '@mantine/core';
import { FilterText } from '../layout/filter-text.tsx';
import type { Filters } from '../layout/use-filters.ts';
import { dayMs } from './token-state.tsx';

export const filterNames = ['name', 'project', 'owner', 'tag', 'state', 'expires'] as const;
type TokenFilters = Filters<(typeof filterNames)[number]>;

const states = [
  { value: 'enabled', label: 'Enabled' },
  { value: 'disabled', label: 'Disabled' },
];
const expiries = [
  { value: '1', label: 'Within a day' },
  { value: '7', label: 'Within 7 days' },
  { value: '30', label: 'Within 30 days' },
];

/** Returns the query of the list for the filters in the URL. `now` is in milliseconds since the epoch. */
export function queryOf(values: TokenFilters['values'], now: number): Record<string, string | undefined> {
  const { state, expires, tag, ...texts } = values;
  const days = Number(expires);
  return {
    ...texts,
    // A tag is sent once its value can follow: until then it is being typed.
    tag: tag.includes(':') ? tag : undefined,
    disabled: state === 'disabled' ? 'true' : state === 'enabled' ? 'false' : undefined,
    expiresBefore: days > 0 ? new Date(now + days * dayMs).toISOString() : undefined,
  };
}

/** The filters of the list of tokens. */
export function TokenFilterBar({ filters: { values, set, any, clear } }: { filters: TokenFilters }) {
  const choice = {
    size: 'xs',
    w: 150,
    clearable: true,
  } as const;
  return (
    <Group gap="xs" align="flex-end" role="search" aria-label="Filters">
      <FilterText
        label="Name"
        placeholder="Part of the name"
        value={values.name}
        onChange={name => set({ name })}
      />
      <FilterText label="Project" w={140} value={values.project} onChange={project => set({ project })} />
      <FilterText label="Owner" w={140} value={values.owner} onChange={owner => set({ owner })} />
      <FilterText
        label="Tag"
        w={150}
        placeholder="team:search"
        value={values.tag}
        onChange={tag => set({ tag })}
      />
      <Select
        {...choice}
        label="State"
        placeholder="Any"
        data={states}
        value={values.state || null}
        onChange={state => set({ state: state ?? '' })}
        clearButtonProps={{ 'aria-label': 'Clear the state', tabIndex: 0 }}
      />
      <Select
        {...choice}
        label="Expires"
        placeholder="Any time"
        data={expiries}
        value={values.expires || null}
        onChange={expires => set({ expires: expires ?? '' })}
        clearButtonProps={{ 'aria-label': 'Clear the expiry', tabIndex: 0 }}
      />
      {any && (
        <Button variant="subtle" size="xs" onClick={clear}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}
