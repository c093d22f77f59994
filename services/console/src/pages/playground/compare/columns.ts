import { type FormatName, formatNames } from '../conversation/part.ts';

/** The question of one column: a model in a wire format. */
export interface ColumnChoice {
  model: string;
  format: FormatName;
}

export const fewestColumns = 2;
export const mostColumns = 4;

const parameter = 'compare';

/** Reads the columns from the address, so that a link opens the same ones; none if it has fewer than two. */
export function columnsIn(query: URLSearchParams): ColumnChoice[] {
  const choices = query.getAll(parameter).flatMap(text => {
    const [, name = '', model = ''] = /^([a-z-]+):(.*)$/s.exec(text) ?? [];
    const format = formatNames.find(known => known === name);
    return format ? [{ format, model }] : [];
  });
  return choices.length < fewestColumns ? [] : choices.slice(0, mostColumns);
}

/** Returns the address's query with other columns. */
export function withColumns(query: URLSearchParams, columns: readonly ColumnChoice[]): URLSearchParams {
  const next = new URLSearchParams(query);
  next.delete(parameter);
  for (const { format, model } of columns) next.append(parameter, `${format}:${model}`);
  return next;
}

/** Returns the columns to begin with: the first two models, or one model in two formats. */
export function firstColumns(names: readonly string[], { model, format }: ColumnChoice): ColumnChoice[] {
  const other = names.find(name => name !== model);
  const second = other
    ? { model: other, format }
    : { model, format: format === 'chat' ? ('messages' as const) : ('chat' as const) };
  return [{ model, format }, second];
}
