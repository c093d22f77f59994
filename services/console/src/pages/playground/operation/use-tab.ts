import { useSessionStorage } from '@mantine/hooks';
import { useState } from 'react';
import { useFilters } from '../../layout/use-filters.ts';
import { factsOf, isUsable, type ModelNames } from '../../token/check-token.ts';
import type { Price } from '../../token/cost.ts';

/** The model of a tab. It is in the URL, so a link that is sent opens the tab with it. */
export interface ChosenModel {
  name: string;
  usable: boolean;
  /** Its price; null if that is unknown. */
  price: Price | null;
  choose(name: string): void;
}

/** Returns the chosen model, by default the first that the token may use. */
export function useModel(models: ModelNames): ChosenModel {
  const { values, set } = useFilters(['model']);
  const name = values.model || (models.names[0] ?? '');
  return {
    name,
    usable: isUsable(name, models),
    price: factsOf(name, models)?.price ?? null,
    choose: model => set({ model }),
  };
}

/**
 * Holds what was typed into a tab, and keeps it for this browser tab: it is still there after a reload, and after another tab of the
 * Playground. The fields in `files`, which have no place in JSON, are kept only as long as the tab is open.
 */
export function useDraft<Draft extends object>(
  tab: string,
  empty: Draft,
  files: readonly (keyof Draft)[] = [],
): [draft: Draft, change: (part: Partial<Draft>) => void] {
  const [stored, store] = useSessionStorage<Partial<Draft>>({
    key: `model-gateway.playground.${tab}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const [held, hold] = useState<Partial<Draft>>({});
  const change = (part: Partial<Draft>) => {
    const isFile = (name: string) => files.includes(name as keyof Draft);
    const names = Object.keys(part);
    if (names.some(isFile)) hold(before => ({ ...before, ...only(part, isFile) }));
    if (!names.every(isFile)) store(before => ({ ...before, ...only(part, name => !isFile(name)) }));
  };
  // A draft of an older version of the page may lack fields.
  return [{ ...empty, ...stored, ...held }, change];
}

function only<Draft>(part: Partial<Draft>, wanted: (name: string) => boolean): Partial<Draft> {
  return Object.fromEntries(Object.entries(part).filter(([name]) => wanted(name))) as Partial<Draft>;
}
