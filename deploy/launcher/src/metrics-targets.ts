/** A process with metrics: its service, and the URL of its operator's port. */
interface MetricsProcess {
  component: string;
  url: string;
}

/** Returns the targets for `file_sd_configs` of Prometheus, one group for each service. */
export function metricsTargets(processes: readonly MetricsProcess[]): string {
  const components = [...new Set(processes.map(({ component }) => component))];
  const groups = components.map(component => ({
    targets: processes.filter(each => each.component === component).map(({ url }) => new URL(url).host),
    labels: { component },
  }));
  return `${JSON.stringify(groups, null, 2)}\n`;
}
