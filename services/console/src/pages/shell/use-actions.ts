import { useMantineColorScheme } from '@mantine/core';
import { useNavigate } from 'react-router';
import { may } from '../session/may.ts';
import { useSession, useSignOut } from '../session/use-session.ts';
import type { ConsolePage } from './navigation.tsx';
import { schemes } from './theme-menu.tsx';
import type { PaletteEntry, PaletteGroup } from './use-found-records.ts';

/** The pages that the user may see and the actions that the user may do, as far as their labels have a text. */
export function useActions(
  all: readonly ConsolePage[],
  text: string,
  onShortcuts: () => void,
): { pages: PaletteGroup[]; actions: PaletteGroup[] } {
  const { session } = useSession();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  const go = (to: string) => () => void navigate(to);
  const seen: PaletteEntry[] = all
    .filter(({ reads }) => !reads || may(session, reads))
    .map(({ label, path }) => ({ label, run: go(path) }));
  const actions: PaletteEntry[] = [
    ...(may(session, 'createToken') ? [{ label: 'Create a token', run: go('/tokens/new') }] : []),
    { label: 'Show the first steps', run: go('/start') },
    ...schemes.map(({ value, label }) => ({
      label: `Use the ${lower(label)}`,
      run: () => setColorScheme(value),
    })),
    { label: 'Show the keyboard shortcuts', run: onShortcuts },
    ...(session
      ? [
          { label: 'Open my account', run: go('/account') },
          { label: 'Sign out', run: () => signOut.mutate() },
        ]
      : [{ label: 'Sign in', run: go('/sign-in') }]),
  ];
  const matching = (entries: PaletteEntry[]) =>
    entries.filter(({ label }) => lower(label).includes(lower(text)));
  return {
    pages: [{ label: 'Pages', entries: matching(seen) }],
    actions: [{ label: 'Actions', entries: matching(actions) }],
  };
}

function lower(text: string): string {
  return text.toLowerCase();
}
