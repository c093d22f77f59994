import { BoundedNames, Children, counter, type Registry } from '@model-gateway/service';
import type { PriceBook } from '../prices/price-book.ts';
import type { LedgerRow } from './row.ts';

/** Measures the cost and tokens of the charged attempts that this control adds to the ledger. */
export function measureLedger(
  prices: Pick<PriceBook, 'namesOf'>,
  metrics: Registry,
): (rows: readonly LedgerRow[]) => void {
  const dollars = counter(metrics, 'gateway_cost_dollars_total');
  const unpriced = counter(metrics, 'gateway_unpriced_attempts_total');
  const tokens = counter(metrics, 'gateway_project_tokens_total');
  const costs = new Children((project, model, provider) => dollars.labels(project, model, provider));
  const projects = new Children(project => ({
    input: tokens.labels(project, 'input'),
    output: tokens.labels(project, 'output'),
  }));
  const names = new BoundedNames();
  return rows => {
    for (const row of rows) {
      if (!row.charged) continue;
      const { model, provider } = prices.namesOf(row);
      const project = names.of(row.project);
      const { input, output } = projects.of(project);
      input.inc(row.input);
      output.inc(row.output);
      if (typeof row.cost === 'number' && row.cost >= 0) costs.of(project, model, provider).inc(row.cost);
      else unpriced.inc({ model, provider });
    }
  };
}
