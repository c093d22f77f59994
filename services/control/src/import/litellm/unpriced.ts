import type { CatalogDraft, ImportedToken } from '../result.ts';

/**
 * Lets the tokens of projects with budgets use models without a price, which cost nothing in LiteLLM. Returns the names of these
 * projects.
 */
export function allowUnpriced(catalog: CatalogDraft, tokens: readonly ImportedToken[]): string[] {
  catalog.projects ??= [];
  const { projects } = catalog;
  const limitedUsers = new Set(catalog.users?.flatMap(({ name, budget }) => (budget ? name : [])));
  const withBudget = tokens.flatMap(({ wanted }) => {
    const has = wanted.budget || limitedUsers.has(wanted.owner ?? '');
    return has ? (wanted.project ?? 'default') : [];
  });
  const names = [
    ...new Set([...withBudget, ...projects.flatMap(({ name, budget }) => (budget ? name : []))]),
  ];
  for (const name of names) {
    const project = projects.find(each => each.name === name);
    if (project) project.allowUnpriced = true;
    else projects.push({ name, allowUnpriced: true });
  }
  return names;
}
