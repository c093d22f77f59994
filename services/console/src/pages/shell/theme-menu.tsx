import { ActionIcon, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

export const schemes = [
  { value: 'light', label: 'Light theme' },
  { value: 'dark', label: 'Dark theme' },
  { value: 'auto', label: 'Theme of the system' },
] as const;

/** The menu of the themes. The browser keeps the choice; until then the system's is used. */
export function ThemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" size="md" aria-label="Theme" title="Theme">
          <span aria-hidden="true">{dark ? '☾' : '☀'}</span>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={chosen => setColorScheme(chosen as (typeof schemes)[number]['value'])}
        >
          {schemes.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
