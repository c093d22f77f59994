import { Button } from '@mantine/core';
import { type Endpoint, type EndpointName, endpoints } from '@model-gateway/admin-api';

/** Links that export a list with its filter, as CSV and as lines of JSON. Empty values of `query` are left out. */
export function ExportLinks({
  name,
  query,
}: {
  name: EndpointName;
  query: Record<string, string | undefined>;
}) {
  const { path }: Endpoint = endpoints[name];
  const filter = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return (['csv', 'jsonl'] as const).map(format => (
    <Button
      key={format}
      component="a"
      download
      variant="default"
      size="compact-sm"
      href={`${path}?${new URLSearchParams([...filter, ['format', format]])}`}
    >
      Export as {format === 'csv' ? 'CSV' : 'JSON lines'}
    </Button>
  ));
}
