import { useMutation } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api } from '../api.ts';
import { useOutdate } from '../layout/use-resource.ts';
import { fieldMessages, toProblem } from '../problem.ts';

/** The state of a form that adds a provider or a model. */
export interface Create {
  /** The gateway's messages by the paths of the fields. */
  errors: Record<string, string>;
  error: unknown;
  saving: boolean;
  save(): void;
}

/** Returns the state of a form that adds an entry. One that has the name already is never replaced. */
export function useCreate(kind: 'provider' | 'model', name: string, settings: () => object): Create {
  const outdate = useOutdate();
  const navigate = useNavigate();
  const saving = useMutation({
    mutationFn: () =>
      api.call(kind === 'provider' ? 'setProvider' : 'setModel', {
        params: { name },
        body: settings(),
        createOnly: true,
      }),
    onSuccess: async () => {
      await outdate('listProviders', 'listCatalogModels', 'showHealth', 'showPrices');
      navigate(`/${kind}s/${encodeURIComponent(name)}`);
    },
  });
  const { error } = saving;
  const isTaken = toProblem(error).facts.status === 412;
  return {
    errors: isTaken
      ? { name: `There is a ${kind} with this name. Choose another one.` }
      : fieldMessages(error),
    error: isTaken ? null : error,
    saving: saving.isPending,
    save: saving.mutate,
  };
}
