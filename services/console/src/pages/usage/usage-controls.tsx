import { Button, Group, Select, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FilterText } from '../layout/filter-text.tsx';
import { type ChosenRange, TimeRangeField } from '../layout/time-range.tsx';
import type { Filters } from '../layout/use-filters.ts';
import { FilterSelect } from '../ledger/filter-select.tsx';
import { type Grouping, groupings } from '../ledger/key-label.ts';
import type { UsageFilterName } from '../ledger/usage-query.ts';

/** The time, the grouping and the filters of the page of usage. */
export function UsageControls({
  range,
  by,
  onGroup,
  compare,
  onCompare,
  filters,
  tokenName,
}: {
  range: ChosenRange;
  by: string;
  onGroup(by: string): void;
  compare: boolean;
  onCompare(compare: boolean): void;
  filters: Filters<UsageFilterName>;
  tokenName(id: string): string;
}) {
  return (
    <Group gap="xs" align="flex-end" role="group" aria-label="Filters">
      <TimeRangeField chosen={range} choices={['1h', '6h', '24h', '7d', '30d', '90d']} />
      <GroupField by={by} onGroup={onGroup} />
      {(Object.keys(groupings) as Grouping[]).map(name => (
        <FilterSelect
          key={name}
          label={groupings[name]}
          by={name}
          span={range.span}
          filters={filters.values}
          {...(name === 'token' && { labelOf: tokenName })}
          onChange={value => filters.set({ [name]: value })}
        />
      ))}
      <FilterText
        label="Tag"
        placeholder="team:search"
        w={130}
        value={filters.values.tag}
        onChange={tag => filters.set({ tag: tag.includes(':') ? tag : '' })}
      />
      <Switch
        label="Compare with previous period"
        size="xs"
        mb={7}
        checked={compare}
        onChange={event => onCompare(event.currentTarget.checked)}
      />
      {filters.any && (
        <Button variant="subtle" size="xs" onClick={filters.clear}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}

const byTag = 'tag';

/** A field for the grouping. For tags, a second one has the name of the tag. */
function GroupField({ by, onGroup }: { by: string; onGroup(by: string): void }) {
  const isTag = by.startsWith('tag:');
  const [asksTag, setAsksTag] = useState(isTag);
  const [name, setName] = useState(isTag ? by.slice(4) : '');
  const choose = (value: string | null) => {
    setAsksTag(value === byTag);
    if (value && value !== byTag) onGroup(value);
  };
  return (
    <>
      <Select
        label="Group by"
        size="xs"
        w={110}
        allowDeselect={false}
        value={asksTag ? byTag : by}
        onChange={choose}
        data={[
          ...Object.entries(groupings).map(([value, label]) => ({ value, label })),
          { value: byTag, label: 'Tag' },
        ]}
      />
      {asksTag && (
        <form
          onSubmit={event => {
            event.preventDefault();
            if (name.trim()) onGroup(`tag:${name.trim()}`);
          }}
        >
          <TextInput
            label="Tag name"
            placeholder="team, then Enter"
            size="xs"
            w={130}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
          />
        </form>
      )}
    </>
  );
}
