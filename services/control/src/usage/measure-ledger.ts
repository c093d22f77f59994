import { BoundedNames, Children, counter, type Registry } from '@model-gateway/service';
import type { PriceBook } from '../prices/price-book.ts';
import type { UsageSum } from './batch.ts';

/** Measures the cost and tokens of the charged attempts that this control adds to the ledger. */
export function measureLedger(
  prices: Pick<PriceBook, 'namesOf'>,
  metrics: Registry,
): (sums: readonly UsageSum[]) => void {
  const dollars = counter(metrics, 'gateway_cost_dollars_total');
  const unpriced = counter(metrics, 'gateway_unpriced_attempts_total');
  const tokens = counter(metrics, 'gateway_project_tokens_total');
  const costs = new Children((project, model, provider) => dollars.labels(project, model, provider));
  const projects = new Children(project => ({
    input: tokens.labels(project, 'input'),
    output: tokens.labels(project, 'output'),
  }));
  const names = new BoundedNames();
  return sums => {
    for (const sum of sums) {
      if (sum.charged === 0) continue;
      const { model, provider } = prices.namesOf(sum);
      const project = names.of(sum.project);
      const { input, output } = projects.of(project);
      input.inc(sum.input);
      output.inc(sum.output);
      if (sum.charged > sum.unpriced) costs.of(project, model, provider).inc(sum.cost);
      if (sum.unpriced > 0) unpriced.inc({ model, provider }, sum.unpriced);
    }
  };
}
