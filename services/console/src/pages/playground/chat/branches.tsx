import { ActionIcon, Group, Text } from '@mantine/core';

/** Buttons to switch between the versions of a question or an answer; absent if there is one. */
export function Branches({
  of,
  ids,
  shown,
  onChoose,
}: {
  of: 'question' | 'answer';
  ids: readonly number[];
  shown: number;
  onChoose(id: number): void;
}) {
  const at = ids.indexOf(shown);
  const [before, after] = [ids[at - 1], ids[at + 1]];
  if (ids.length < 2) return null;
  const step = (to: number | undefined, label: string, sign: string) => (
    <ActionIcon
      size="xs"
      variant="subtle"
      aria-label={`${label} ${of}`}
      disabled={to === undefined}
      onClick={() => to !== undefined && onChoose(to)}
    >
      <span aria-hidden="true">{sign}</span>
    </ActionIcon>
  );
  return (
    <Group gap={2} wrap="nowrap">
      {step(before, 'Previous', '‹')}
      <Text size="xs" aria-label={`The ${of} is version ${at + 1} of ${ids.length}`} role="img">
        {at + 1}/{ids.length}
      </Text>
      {step(after, 'Next', '›')}
    </Group>
  );
}
