import { useFilters } from '../../layout/use-filters.ts';
import { factsOf, isUsable, type ModelNames } from '../../token/check-token.ts';
import type { Price } from '../cost.ts';

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
