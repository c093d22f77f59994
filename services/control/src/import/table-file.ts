import { parse } from 'csv-parse/sync';

/** Fields of API answers that hold the rows. */
const lists = ['keys', 'teams', 'users', 'budgets', 'data'];
/** The columns of ids. */
const ids = ['token', 'team_id', 'user_id', 'budget_id'];

/**
 * Reads an export of a table: a JSON list, the answer of an API, a JSON object a line, or CSV with a line of names.
 * @throws Error that names the file
 */
export function rowsOf(text: string, path: string): Record<string, unknown>[] {
  const rows = /^\s*[[{]/.test(text) ? jsonRows(text, path) : csvRows(text, path);
  const wrong = rows.findIndex(row => typeof row !== 'object' || row === null || Array.isArray(row));
  if (wrong >= 0)
    throw new Error(
      `${path}: row ${wrong + 1} is no mapping of fields. Of /key/list, ask for return_full_object=true.`,
    );
  return rows as Record<string, unknown>[];
}

function jsonRows(text: string, path: string): unknown[] {
  const whole = parsed(text);
  if (whole === undefined) {
    const lines = text.split('\n').filter(line => line.trim() !== '');
    return lines.map((line, at) => {
      const row = parsed(line);
      if (row === undefined) throw new Error(`${path}: line ${at + 1} is not JSON`);
      return row;
    });
  }
  if (Array.isArray(whole)) return whole;
  const answer = whole as Record<string, unknown>;
  // A row may hold lists of the same names.
  const isRow = ids.some(name => answer[name] !== undefined);
  const list = isRow ? undefined : lists.find(name => Array.isArray(answer[name]));
  if (list) return answer[list] as unknown[];
  // The answer of /key/info.
  const { key, info } = answer;
  if (typeof info === 'object' && info !== null) return [{ token: key, ...info }];
  return [answer];
}

function csvRows(text: string, path: string): unknown[] {
  try {
    return parse(text, { columns: true, skipEmptyLines: true, cast: fieldOf }) as unknown[];
  } catch (error) {
    throw new Error(`${path} is neither JSON nor CSV`, { cause: error });
  }
}

/** Reads a field of a CSV file of psql: a list is `{a,b}`, and JSON is as it is. */
function fieldOf(field: string, { header }: { header: boolean }): unknown {
  if (header || !/^[{[]/.test(field)) return header || field !== '' ? field : null;
  return parsed(field) ?? listOf(field) ?? field;
}

function listOf(field: string): string[] | undefined {
  const [, inner] = /^\{(.*)\}$/s.exec(field) ?? [];
  if (inner === undefined) return undefined;
  const entries = inner.match(/"(?:[^"\\]|\\.)*"|[^,]+/gs) ?? [];
  return entries.map(entry => (entry.startsWith('"') ? entry.slice(1, -1).replace(/\\(.)/gs, '$1') : entry));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
