import { ActionIcon, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

export const schemes = [
  { value: 'light', label: 'Light theme', sign: '☀' },
  { value: 'dark', label: 'Dark theme', sign: '☾' },
  { value: 'auto', label: 'Theme of the system', sign: '◐' },
] as const;

/** The menu of the themes. The browser keeps the choice; until then the system's is used. */
export function ThemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  return (
    <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <ActionIcon variant="subtle" size="md" aria-label="Theme" title="Theme">
          <span aria-hidden="true">{dark ? '☾' : '☀'}</span>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ value, label, sign }) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={colorScheme === value}
            leftSection={<span aria-hidden="true">{sign}</span>}
            rightSection={colorScheme === value ? <span aria-hidden="true">✓</span> : undefined}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
