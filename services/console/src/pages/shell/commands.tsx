import { Kbd, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { commandKey } from './command-key.ts';
import type { ConsolePage } from './navigation.tsx';
import classes from './shell.module.css';

const Palette = lazy(() => import('./palette.tsx').then(({ Palette }) => ({ default: Palette })));
const Shortcuts = lazy(() => import('./shortcuts.tsx').then(dialog => ({ default: dialog.Shortcuts })));

/** The button and the shortcut for the command palette, and the one for the list of shortcuts. */
export function Commands({ pages }: { pages: readonly ConsolePage[] }) {
  const [shown, setShown] = useState<'palette' | 'shortcuts'>();
  const close = () => setShown(undefined);
  // In fields, too: the palette leads away from them, and back.
  useHotkeys([['mod+K', () => setShown(shown === 'palette' ? undefined : 'palette')]], []);
  useHotkeys([['shift+?', () => setShown('shortcuts')]]);
  return (
    <>
      <UnstyledButton
        className={classes.search}
        onClick={() => setShown('palette')}
        title="Search pages, records and actions"
        aria-keyshortcuts="Control+K Meta+K"
      >
        <span aria-hidden="true" className={classes.lens}>
          ⌕
        </span>
        <span className={classes.searchText}>Search</span>
        <Kbd size="xs" className={classes.wide}>
          {commandKey()} K
        </Kbd>
      </UnstyledButton>
      <Suspense fallback={null}>
        {shown === 'palette' && (
          <Palette pages={pages} onClose={close} onShortcuts={() => setShown('shortcuts')} />
        )}
        {shown === 'shortcuts' && <Shortcuts onClose={close} />}
      </Suspense>
    </>
  );
}
