import { useSearchParams } from 'react-router';
import { isUsable, type ModelNames } from '../../token/check-token.ts';
import { useToken } from '../../token/token-context.tsx';
import type { Price } from './cost.ts';

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
  const { check } = useToken();
  const name = query.get('model') ?? models.names[0] ?? '';
  const known = check?.state === 'known' ? check.token.models.find(model => model.name === name) : undefined;
  const choose = (chosen: string) =>
    setQuery(
      before => {
        const next = new URLSearchParams(before);
        next.set('model', chosen);
        return next;
      },
      { replace: true },
    );
  return { name, usable: isUsable(name, models), price: known?.price ?? null, choose };
}
