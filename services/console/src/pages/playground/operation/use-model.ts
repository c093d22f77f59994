import { useSearchParams } from 'react-router';
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
  const [query, setQuery] = useSearchParams();
  const name = query.get('model') ?? models.names[0] ?? '';
  const choose = (chosen: string) =>
    setQuery(
      before => {
        const next = new URLSearchParams(before);
        next.set('model', chosen);
        return next;
      },
      { replace: true },
    );
  return { name, usable: isUsable(name, models), price: factsOf(name, models)?.price ?? null, choose };
}
